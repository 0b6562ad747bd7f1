import { DiskReserve, keepReserveInCommand, parseReserveSize } from '../disk-reserve.ts'
import { allowPrivateAddresses } from '../http-client/reachable-address.ts'
import type { MoveProgress } from '../moves/move.ts'
import { boundedNotice, boundedReport, type MoveReport } from '../moves/move-report.ts'
import { ALLOWED_VARIABLE, MOVE_VARIABLE, RESERVE_VARIABLE, type Told } from '../moves/run-command.ts'
import type { Notice } from '../notices/notice.ts'

const began = new Date().toISOString()

/** Tells the server that has started this command how far it is. Elsewhere nobody hears it. */
export function tellServer(progress: Omit<MoveProgress, 'since'>): void {
  if (isHeard()) send({ progress: { ...progress, since: began } })
}

/** Tells the server that has started this command what came of it. Resolves when that is on its way. */
export async function tellReport(report: () => MoveReport): Promise<void> {
  if (isHeard()) await new Promise<void>((resolve) => send({ report: boundedReport(report()) }, resolve))
}

/** Sends the server that has started this command why it has failed. Resolves when that is sent. */
export async function sendFailure(failure: Notice): Promise<void> {
  if (isHeard()) await new Promise<void>((resolve) => send({ failure: boundedNotice(failure) }, resolve))
}

/** Ends with the server that has started this command, also where that is killed. */
export function endWithServer(): void {
  if (!isStartedByServer() || !process.channel) return
  process.once('disconnect', () => process.exit(1))
  // It does not keep a command alive that is done.
  process.channel.unref()
}

/** Lets a command that a server has started reach and fill what that server lets apps reach and fill. */
export function limitReach(): void {
  const ranges = process.env[ALLOWED_VARIABLE]
  if (isStartedByServer() && ranges) allowPrivateAddresses(ranges.split(','))
  const size = parseReserveSize(process.env[RESERVE_VARIABLE] ?? '')
  if (isStartedByServer() && size) keepReserveInCommand(new DiskReserve({ size }))
}

/** Whether a server runs this command for an administrator, who may reach less than who has a shell on this machine. */
export function isStartedByServer(): boolean {
  return process.env[MOVE_VARIABLE] !== undefined
}

function isHeard(): boolean {
  return isStartedByServer() && process.connected
}

function send(told: Told, onSent: () => void = () => {}): void {
  process.send!(told, onSent)
}
