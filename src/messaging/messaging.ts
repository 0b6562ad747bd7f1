import type { Database } from '../database/pool.ts'
import { identifier, type Sql } from '../database/sql.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { AppLimits } from '../limits/app-limits.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { Blocks } from './admission.ts'
import type { Conversations } from './conversations.ts'
import type { DailyClients } from './daily-clients.ts'
import type { DevicePushes } from './device-pushes.ts'
import type { MessagingHooks } from './hooks.ts'
import type { Kicks } from './kicks.ts'
import type { LastMessageTimes } from './last-message-times.ts'
import type { Marks } from './marks.ts'
import type { MessageStore } from './message-store.ts'
import type { MessagingSettings } from './messaging-settings.ts'
import type { Missed } from './missed.ts'
import type { Presence } from './presence.ts'
import type { Seats } from './seats.ts'
import type { Unfinished } from './unfinished.ts'

/** The conversations of one app: what every function of messaging works on. */
export interface Messaging {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly tables: MessagingTables
  readonly conversations: Conversations
  readonly messages: MessageStore
  readonly marks: Marks
  readonly kicks: Kicks
  readonly seats: Seats
  readonly blocks: Blocks
  readonly missed: Missed
  readonly dailyClients: DailyClients
  readonly lastMessageTimes: LastMessageTimes
  readonly presence: Presence
  readonly devices: DevicePushes
  readonly hooks: MessagingHooks
  readonly limits: AppLimits
  readonly jobs: Pick<Jobs, 'hold'>
  readonly unfinished: Unfinished
  readonly log: Log
  /** Signs what clients are given, and checks what they bring (protocol/realtime, Signatures). */
  masterKey(): string
  settings(): MessagingSettings
}

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
  readonly seats: Sql
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
    seats: table('$seats'),
    kicks: table('$kicks'),
    dailyClients: table('$daily_clients'),
  }
}
