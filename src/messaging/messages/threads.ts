import { type Sql, sql } from '../../database/sql.ts'
import type { ConversationKind } from '../conversation.ts'

/** Returns the thread that stores messages of a system conversation for a single client. */
export function targetedThread(convId: string, clientId: string): string {
  return `${convId}:${clientId}`
}

/** Returns the same as an SQL expression. */
export function targetedThreadSql(convId: Sql, clientId: string | Sql): Sql {
  return sql`${convId} || ':' || ${clientId}::text`
}

/** Returns the threads of a conversation that a client can read: in a system conversation also its own. */
export function threadsFor(kind: ConversationKind, convId: string, clientId: string): string[] {
  return kind === 'system' ? [convId, targetedThread(convId, clientId)] : [convId]
}
