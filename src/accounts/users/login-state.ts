import { errors } from '../../errors.ts'
import { isJsonObject } from '../../values/json.ts'
import { type Accounts, byId, findUser, storedAuthData } from '../accounts.ts'
import { uidsOf, unionEntryOf } from '../auth-data.ts'

/** How a user can log in, without its credentials. */
export interface LoginState {
  readonly hasPassword: boolean
  /** Whether it has a session token: it has logged in at least once. */
  readonly hasSession: boolean
  /** Recent failed logins; too many of them lock the user. */
  readonly failures: number
  /** ISO; null: not locked */
  readonly lockedUntil: string | null
  /** Third-party accounts and the ids of the user there. */
  readonly linked: readonly { readonly platform: string; readonly uids: readonly string[] }[]
}

/**
 * Returns how a user can log in.
 * @throws ApiError 211 when the user does not exist
 */
export async function loginStateOf(accounts: Accounts, id: string): Promise<LoginState> {
  const [user, lock] = await Promise.all([findUser(accounts, byId(id)), accounts.lockout.stateOf(id)])
  if (!user) throw errors.userNotFound()
  const linked = Object.entries(storedAuthData(user)).map(([platform, data]) => {
    if (!isJsonObject(data)) return { platform, uids: [] }
    return { platform, uids: unionEntryOf(platform, data)?.map(({ uid }) => uid) ?? uidsOf(platform, data) }
  })
  return { hasPassword: user.password !== null, hasSession: user.sessionToken !== null, ...lock, linked }
}
