import { DiskReserve, keepReserveInCommand, parseReserveSize } from '../disk-reserve.ts'
import { allowPrivateAddresses } from '../http-client/reachable-address.ts'
import type { MoveProgress } from '../moves/move.ts'
import { boundedNotice, boundedReport, type MoveReport } from '../moves/move-report.ts'
import { ALLOWED_VARIABLE, type CommandMessage, MOVE_VARIABLE, RESERVE_VARIABLE } from '../moves/run-command.ts'
import type { Notice } from '../notices/notice.ts'

const began = new Date().toISOString()

/** Sends progress to the server that started this command. Does nothing when a person started it. */
export function sendProgress(progress: Omit<MoveProgress, 'since'>): void {
  if (isConnected()) send({ progress: { ...progress, since: began } })
}

/** Sends the report to the server that started this command. Resolves when it is sent. */
export async function sendReport(report: () => MoveReport): Promise<void> {
  if (isConnected()) await new Promise<void>((resolve) => send({ report: boundedReport(report()) }, resolve))
}

/** Sends the reason of a failure to the server that started this command. Resolves when it is sent. */
export async function sendFailure(failure: Notice): Promise<void> {
  if (isConnected()) await new Promise<void>((resolve) => send({ failure: boundedNotice(failure) }, resolve))
}

/** Ends this command when the server that started it ends, even if the server is killed. */
export function endWithServer(): void {
  if (!isStartedByServer() || !process.channel) return
  process.once('disconnect', () => process.exit(1))
  // The channel must not keep a finished command alive.
  process.channel.unref()
}

/** Limits a command that a server started to the addresses and the disk space that the server allows. */
export function limitReach(): void {
  const ranges = process.env[ALLOWED_VARIABLE]
  if (isStartedByServer() && ranges) allowPrivateAddresses(ranges.split(','))
  const size = parseReserveSize(process.env[RESERVE_VARIABLE] ?? '')
  if (isStartedByServer() && size) keepReserveInCommand(new DiskReserve({ size }))
}

/**
 * Returns whether a server runs this command for an administrator, who may have fewer rights than a user with a shell on this
 * machine.
 */
export function isStartedByServer(): boolean {
  return process.env[MOVE_VARIABLE] !== undefined
}

function isConnected(): boolean {
  return isStartedByServer() && process.connected
}

function send(message: CommandMessage, onSent: () => void = () => {}): void {
  process.send!(message, onSent)
}
