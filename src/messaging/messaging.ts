import type { Database } from '../database/pool.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { AppLimits } from '../limits/app-limits.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { AbsenceLookup } from './absence.ts'
import type { Blocks } from './admission.ts'
import type { Conversations } from './conversations.ts'
import type { DevicePushes } from './device-pushes.ts'
import type { SessionEvent } from './events.ts'
import type { MessagingHooks } from './hooks.ts'
import type { Kicks } from './kicks.ts'
import type { LastMessageTimes } from './last-message-times.ts'
import type { LongPages } from './long-pages.ts'
import type { MessageStore } from './message-store.ts'
import type { MessagingSettings } from './messaging-settings.ts'
import type { MessagingTables } from './messaging-tables.ts'
import type { PendingWork } from './pending-work.ts'
import type { Presence } from './presence.ts'
import type { ReadCursors } from './read-cursors.ts'
import type { RoomMemberships } from './room-memberships.ts'
import type { SystemWebHook } from './system-web-hook.ts'

/** The conversations of one app: the context of all functions of messaging. */
export interface Messaging {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly tables: MessagingTables
  readonly conversations: Conversations
  readonly messages: MessageStore
  /** The queue of long pages of histories and conversations. */
  readonly longPages: LongPages
  readonly readCursors: ReadCursors
  readonly kicks: Kicks
  readonly roomMemberships: RoomMemberships
  readonly blocks: Blocks
  readonly missed: AbsenceLookup
  readonly dailyClients: DailyNotes
  readonly lastMessageTimes: LastMessageTimes
  readonly presence: Presence
  readonly devices: DevicePushes
  readonly hooks: MessagingHooks
  readonly limits: AppLimits
  readonly jobs: Pick<Jobs, 'hold'>
  readonly systemWebHook: SystemWebHook
  readonly pendingWork: PendingWork
  readonly log: Log
  /** Returns the key that signs and verifies session tokens and signatures (protocol/realtime, Signatures). */
  masterKey(): string
  settings(): MessagingSettings
}

/** Records which clients log in on which day; see `sessions/daily-clients.ts`. */
interface DailyNotes {
  /** Records a login. @returns the event for a client that logs in for the first time; null when there is none */
  readonly note: (clientId: string) => Promise<SessionEvent | null>
}
