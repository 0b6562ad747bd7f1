import { identifier, type Sql } from '../database/sql.ts'

export interface MessagingTables {
  readonly messages: Sql
  readonly threads: Sql
  readonly reads: Sql
  readonly temporary: Sql
  readonly silences: Sql
  readonly blocks: Sql
  readonly clientBlocks: Sql
  readonly subscriptions: Sql
  readonly broadcasts: Sql
  readonly notifications: Sql
  readonly roomMemberships: Sql
  readonly kicks: Sql
  readonly dailyClients: Sql
}

export function messagingTables(schema: string): MessagingTables {
  const table = (name: string) => identifier(schema, name)
  return {
    messages: table('$messages'),
    threads: table('$threads'),
    reads: table('$reads'),
    temporary: table('$temporary'),
    silences: table('$silences'),
    blocks: table('$blocks'),
    clientBlocks: table('$client_blocks'),
    subscriptions: table('$subscriptions'),
    broadcasts: table('$broadcasts'),
    notifications: table('$notifications'),
    roomMemberships: table('$seats'),
    kicks: table('$kicks'),
    dailyClients: table('$daily_clients'),
  }
}
