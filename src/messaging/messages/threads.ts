import { type Sql, sql } from '../../database/sql.ts'
import type { ConversationKind } from '../conversation.ts'

/** Where messages of a system conversation are stored that are for one client alone. */
export function targetedThread(convId: string, clientId: string): string {
  return `${convId}:${clientId}`
}

/** The same as an expression. */
export function targetedThreadSql(convId: Sql, clientId: string | Sql): Sql {
  return sql`${convId} || ':' || ${clientId}::text`
}

/** Where the messages of a conversation are that concern a client: in a system conversation also those for it alone. */
export function threadsFor(kind: ConversationKind, convId: string, clientId: string): string[] {
  return kind === 'system' ? [convId, targetedThread(convId, clientId)] : [convId]
}
