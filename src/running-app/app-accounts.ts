import type { Accounts, UserFollower } from '../accounts/accounts.ts'
import type { AccountHooks } from '../accounts/hooks.ts'
import { Lockout } from '../accounts/lockout.ts'
import { type SessionFollower, Sessions } from '../accounts/sessions.ts'
import { identifier } from '../database/sql.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { AppParts } from './app-parts.ts'

type Parts = Pick<AppParts, 'apps' | 'database' | 'bus' | 'passwords' | 'mailer' | 'outbox' | 'queues' | 'log'>

/** Assembles the accounts of an app. */
export function openAccounts(
  { apps, database, bus, passwords, mailer, outbox, queues, log: serverLog }: Parts,
  schema: string,
  objects: ObjectStore,
  hooks: AccountHooks,
  follower: SessionFollower & UserFollower,
): Accounts {
  const { appId } = objects
  const log = serverLog.child({ component: 'accounts', app: appId })
  const table = (name: string) => identifier(schema, name)
  return {
    appId,
    database,
    objects,
    hooks,
    credentials: table('$credentials'),
    identities: table('$identities'),
    smsCodes: table('$sms_codes'),
    smsSent: table('$sms_sent'),
    captchas: table('$captchas'),
    sessions: new Sessions(database, schema, bus, follower, log),
    follower,
    lockout: new Lockout(database, schema),
    passwords,
    captchaQueue: queues.captchas,
    mailer,
    outbox,
    log,
    smsLog: serverLog.child({ component: 'sms', app: appId }),
    appName: () => apps.known(appId)!.name,
    settings: () => apps.known(appId)!.settings.accounts,
    smsSettings: () => apps.known(appId)!.settings.sms,
  }
}
