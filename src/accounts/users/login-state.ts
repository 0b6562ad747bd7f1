import { errors } from '../../errors.ts'
import { isJsonObject } from '../../values/json.ts'
import { type Accounts, byId, findUser, storedAuthData } from '../accounts.ts'
import { uidsOf, unionEntryOf } from '../auth-data.ts'

/** How a user can log in, without what it logs in with. */
export interface LoginState {
  readonly hasPassword: boolean
  /** Whether it has a session token: it has logged in here at some time. */
  readonly hasSession: boolean
  /** Failed logins of late, of which too many lock it. */
  readonly failures: number
  /** ISO; null: nothing is locked */
  readonly lockedUntil: string | null
  /** Accounts of elsewhere, and who the user is there. */
  readonly linked: readonly { readonly platform: string; readonly uids: readonly string[] }[]
}

/** @throws ApiError 211 when there is no such user */
export async function loginStateOf(accounts: Accounts, id: string): Promise<LoginState> {
  const [user, lock] = await Promise.all([findUser(accounts, byId(id)), accounts.lockout.stateOf(id)])
  if (!user) throw errors.userNotFound()
  const linked = Object.entries(storedAuthData(user)).map(([platform, data]) => {
    if (!isJsonObject(data)) return { platform, uids: [] }
    return { platform, uids: unionEntryOf(platform, data)?.map(({ uid }) => uid) ?? uidsOf(platform, data) }
  })
  return { hasPassword: user.password !== null, hasSession: user.sessionToken !== null, ...lock, linked }
}
