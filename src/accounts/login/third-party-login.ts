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
import { changeLinks, LinkedElsewhere, ownerOf } from '../linked-accounts.ts'
import { checkMayLogIn } from '../login-conditions.ts'
import { checkPlatforms, checksAny, isChecked } from '../platforms/check.ts'
import type { UserBody } from '../user-body.ts'
import { askAuthData } from '../user-hooks.ts'
import { insertUser, type NewUser, prepareNewUser } from './new-user.ts'

export interface SignUpOptions {
  /** A third-party account of nobody is an error instead of a new user. */
  readonly failOnNotExist: boolean
  /** Where links in mails lead. */
  readonly baseUrl: () => string
}

/** Two first logins with one account at once: the second finds what the first has made. */
const MAX_TRIES = 5

class LostRace extends Error {}

/** Accounts that were nobody's a moment ago are somebody's when the new user is about to take them. */
function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || error instanceof LinkedElsewhere
}

/**
 * Logs in with third-party accounts; the first login makes the user (protocol/accounts, authData; protocol/accounts,
 * authData). What was sent of an account replaces what is stored of it.
 * @throws ApiError 141 and 142 of hooks, 429, 211 with `failOnNotExist`, 250 to 252, and those of `insertUser`
 */
export async function logInWithAuthData(
  accounts: Accounts,
  user: UserBody,
  options: SignUpOptions,
  caller: Caller,
): Promise<LoggedIn> {
  await countCaller(accounts.objects.limits, 'logins', caller)
  const asked = await askAuthData(accounts, user, caller)
  const authData = await checkedAuthData(accounts, asked)
  let newUser: NewUser | null = null
  for (let tries = 1; ; tries++) {
    try {
      const known = await accounts.database.transaction(
        (transaction) => logInOwner(accounts, transaction, authData),
        caller.origin?.principal,
      )
      if (known) return known
      if (options.failOnNotExist) throw errors.userNotFound()
      newUser ??= await prepare(accounts, asked, authData, caller)
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

/** What only a new user needs: permission to be made, fields that the class has, a hash. */
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

/** The accounts that were sent, each checked with its platform if the app wants that. @throws ApiError 250 to 252 */
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
 * In an app that has its platforms checked, data that nobody has checked speaks for its own account only: with a union id
 * it could speak for any user of a platform that is checked.
 */
function withoutUnion({ unionid: _, ...data }: JsonObject): JsonObject {
  return data
}

/** Logs in as the user that the data belongs to; null when it is nobody's. */
async function logInOwner(
  accounts: Accounts,
  transaction: Executor,
  authData: ReadonlyMap<string, JsonObject>,
): Promise<LoggedIn | null> {
  const ownerId = await ownerOf(accounts, transaction, authData)
  if (ownerId === null) return null
  const owner = await findUser(accounts, byId(ownerId), transaction, true)
  // An owner that is gone by now was deleted a moment ago, and its accounts with it.
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
