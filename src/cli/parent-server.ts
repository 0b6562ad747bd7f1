import { DiskReserve, keepReserveInCommand, parseReserveSize } from '../disk-reserve.ts'
import { allowPrivateAddresses } from '../http-client/reachable-address.ts'
import type { MoveProgress } from '../moves/move.ts'
import { boundedNotice, boundedReport, type MoveReport } from '../moves/move-report.ts'
import { ALLOWED_VARIABLE, type CommandMessage, MOVE_VARIABLE, RESERVE_VARIABLE } from '../moves/run-command.ts'
import type { Notice } from '../notices/notice.ts'

const began = new Date().toISOString()

/** Sends progress to the server that has started this command. Does nothing where a person has started it. */
export function sendProgress(progress: Omit<MoveProgress, 'since'>): void {
  if (isConnected()) send({ progress: { ...progress, since: began } })
}

/** Sends the report to the server that has started this command. Resolves when it is sent. */
export async function sendReport(report: () => MoveReport): Promise<void> {
  if (isConnected()) await new Promise<void>((resolve) => send({ report: boundedReport(report()) }, resolve))
}

/** Sends the server that has started this command why it has failed. Resolves when that is sent. */
export async function sendFailure(failure: Notice): Promise<void> {
  if (isConnected()) await new Promise<void>((resolve) => send({ failure: boundedNotice(failure) }, resolve))
}

/** Ends this command when the server that has started it ends, also when that is killed. */
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

function isConnected(): boolean {
  return isStartedByServer() && process.connected
}

function send(message: CommandMessage, onSent: () => void = () => {}): void {
  process.send!(message, onSent)
}
