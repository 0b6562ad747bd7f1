import type { DeviceMessage } from '../push/device-message.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { SharedCommand } from '../realtime-protocol/shared-command.ts'

/** `service` of what concerns push connections (protocol/realtime, GenericCommand). */
export const PUSH = 0

const shared = new WeakMap<DeviceMessage, SharedCommand>()

/** The command that tells devices a message, made once however many devices are told. */
export function sharedDataOf(message: DeviceMessage): SharedCommand {
  const known = shared.get(message)
  if (known) return known
  const made = new SharedCommand(dataOf([message]))
  shared.set(message, made)
  return made
}

/**
 * The command that tells a device some messages (protocol/realtime, Push connection (Android)). It says which service
 * it is of, for a client of messaging on the same connection would take it for its own.
 */
export function dataOf(messages: readonly DeviceMessage[]): GenericCommand {
  const dataMessage = { ids: messages.map(({ id }) => id), msg: messages.map(({ text }) => ({ data: text })) }
  return { cmd: 'data', service: PUSH, dataMessage }
}
