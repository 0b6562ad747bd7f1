import type { Accounts } from '../../accounts/accounts.ts'
import type { Files } from '../../files/files.ts'
import type { Leaderboards } from '../../leaderboards/leaderboards.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { ObjectStore } from '../../objects/store.ts'
import type { Statuses } from '../../social/statuses/statuses.ts'

/** The running app that an import writes to. */
export interface ImportApp {
  readonly id: string
  readonly objects: ObjectStore
  readonly accounts: Accounts
  readonly leaderboards: Leaderboards
  readonly messaging: Pick<Messaging, 'tables' | 'conversations'>
  readonly statuses: Pick<Statuses, 'tables'>
  readonly files: Pick<Files, 'tables'>
}
