import type { GenericCommand } from '../realtime-protocol/schema.ts'

/**
 * To these, clients expect no answer, and no error either (protocol/realtime, Request/reply overview; 15, rules 8 and
 * 22).
 */
export function isUnanswered({ cmd, op }: Pick<GenericCommand, 'cmd' | 'op'>): boolean {
  return cmd === 'ack' || cmd === 'read' || (cmd === 'patch' && op === 'modified')
}
