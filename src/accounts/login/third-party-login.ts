import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { updateObject } from '../../objects/writing/update.ts'
import { equalJson, type JsonObject } from '../../values/json.ts'
import {
  type Accounts,
  asTaken,
  byId,
  findUser,
  type LoggedIn,
  presentLogin,
  type StoredUser,
  storedAuthData,
} from '../accounts.ts'
import { identityOf } from '../auth-data.ts'
import { changeLinks, LinkedToOtherUser, ownerOf } from '../linked-accounts.ts'
import { checkMayLogIn } from '../login-conditions.ts'
import { checkPlatforms, checksAny, isChecked } from '../platforms/check.ts'
import type { UserBody } from '../user-body.ts'
import { callAuthDataHook } from '../user-hooks.ts'
import { insertUser, type NewUser, prepareNewUser } from './new-user.ts'

export interface SignUpOptions {
  /** An account that belongs to no user is an error and creates no user. */
  readonly failOnNotExist: boolean
  /** Base URL of links in mails. */
  readonly baseUrl: () => string
}

/** Of two concurrent first logins with one account, the second retries and finds the user created by the first. */
const MAX_TRIES = 5

class LostRace extends Error {}

/** Returns whether a concurrent request has taken the accounts, or deleted their owner, since they were looked up. */
function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || error instanceof LinkedToOtherUser
}

/**
 * Logs in with third-party accounts; the first login creates the user (protocol/accounts, authData). The data of an
 * account that is sent replaces the data stored.
 * @throws ApiError 141 and 142 of hooks, 429, 211 with `failOnNotExist`, 250 to 252, and those of `insertUser`
 */
export async function logInWithAuthData(
  accounts: Accounts,
  user: UserBody,
  options: SignUpOptions,
  caller: Caller,
): Promise<LoggedIn> {
  await countCaller(accounts.objects.limits, 'logins', caller)
  const login = await callAuthDataHook(accounts, user, caller)
  const authData = await checkedAuthData(accounts, login)
  let newUser: NewUser | null = null
  for (let tries = 1; ; tries++) {
    try {
      const known = await accounts.database.transaction(
        (transaction) => logInOwner(accounts, transaction, authData),
        caller.origin?.principal,
      )
      if (known) return known
      if (options.failOnNotExist) throw errors.userNotFound()
      newUser ??= await prepare(accounts, login, authData, caller)
      const made = newUser
      return await accounts.database.transaction(
        (transaction) => insertUser(accounts, transaction, made, options.baseUrl),
        caller.origin?.principal,
      )
    } catch (error) {
      if (!isLostRace(error) || tries === MAX_TRIES) throw asTaken(error)
    }
  }
}

/** Does the work that only a new user needs: checks permission, registers fields, hashes the password. */
async function prepare(
  accounts: Accounts,
  user: UserBody,
  authData: ReadonlyMap<string, JsonObject>,
  caller: Caller,
): Promise<NewUser> {
  const agreed = await prepareNewUser(accounts, user, Object.fromEntries(authData), caller)
  return {
    ...agreed,
    password:
      user.password === undefined ? null : await accounts.passwords.hash(user.password, caller.origin?.principal),
    linkAccounts: (transaction, id) => changeLinks(accounts, transaction, id, {}, authData, 'refuse'),
  }
}

/**
 * Returns the accounts that were sent, each verified with its platform if the app requires that.
 * @throws ApiError 250 to 252
 */
export async function checkedAuthData(
  accounts: Accounts,
  { authData }: UserBody,
): Promise<ReadonlyMap<string, JsonObject>> {
  const sent = [...(authData ?? [])].filter((entry): entry is [string, JsonObject] => entry[1] !== null)
  const { platforms } = accounts.settings()
  const checked = new Map(
    Object.entries(await checkPlatforms(platforms, Object.fromEntries(sent), { log: accounts.log })),
  )
  for (const [platform, data] of checked) {
    identityOf(platform, data)
    if (checksAny(platforms) && !isChecked(platforms, platform)) checked.set(platform, withoutUnion(data))
  }
  return checked
}

/**
 * Drops the union id of data that was not verified, in an app that verifies platforms. Otherwise the union id could
 * claim any user of a verified platform.
 */
function withoutUnion({ unionid: _, ...data }: JsonObject): JsonObject {
  return data
}

/** Logs in as the user that the data belongs to; null when it belongs to none. */
async function logInOwner(
  accounts: Accounts,
  transaction: Executor,
  authData: ReadonlyMap<string, JsonObject>,
): Promise<LoggedIn | null> {
  const ownerId = await ownerOf(accounts, transaction, authData)
  if (ownerId === null) return null
  const owner = await findUser(accounts, byId(ownerId), transaction, true)
  // A concurrent request has deleted the owner, and its accounts with it.
  if (!owner) throw new LostRace()
  return logIn(accounts, transaction, owner, authData)
}

async function logIn(
  accounts: Accounts,
  transaction: Executor,
  owner: StoredUser,
  authData: ReadonlyMap<string, JsonObject>,
): Promise<LoggedIn> {
  checkMayLogIn(accounts, owner)
  const stored = storedAuthData(owner)
  const linked = await changeLinks(accounts, transaction, owner.id, stored, authData, 'leave out')
  let { row } = owner
  if (!equalJson(stored, linked)) {
    const self: Caller = { master: true, userId: owner.id, grants: [] }
    await updateObject(
      accounts.objects,
      '_User',
      owner.id,
      { authData: linked },
      { where: null, fetch: false, transaction },
      self,
    )
    row = (await findUser(accounts, byId(owner.id), transaction))!.row
  }
  const sessionToken = owner.sessionToken ?? (await accounts.sessions.tokenOf(owner.id, transaction))
  return { id: owner.id, isNew: false, text: await presentLogin(accounts, row, sessionToken) }
}
