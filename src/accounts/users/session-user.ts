import { errors } from '../../errors.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import type { View } from '../../objects/query-parameters.ts'
import { type ReadObject, readObject } from '../../objects/reading/read.ts'
import { updateObject } from '../../objects/writing/update.ts'
import { type Accounts, byId, findUser, presentLogin } from '../accounts.ts'
import { checkOwner } from '../user-rules.ts'

/**
 * Returns the user of a session token, presented to itself (protocol/accounts, Endpoints).
 * @throws ApiError 211
 */
export async function userOfSession(accounts: Accounts, token: unknown): Promise<string> {
  const id = typeof token === 'string' && token !== '' ? await accounts.sessions.userOf(token) : null
  const user = id === null ? null : await findUser(accounts, byId(id))
  if (!user) throw errors.userNotFound()
  return presentLogin(accounts, user.row, token as string)
}

/**
 * Reads a user like any object. A user that names `sessionToken` in `include` or `keys` gets the token of its own
 * request (protocol/accounts, Session tokens and passwords); no other caller gets a token this way.
 * @param session the session token of the request
 * @throws ApiError 211 when the user does not exist, and those of `readObject`
 */
export async function readUser(
  accounts: Accounts,
  id: string,
  view: View,
  caller: Caller,
  session: string | undefined,
): Promise<ReadObject | null> {
  const user = await readObject(accounts.objects, '_User', id, view, caller)
  if (!user || caller.master || caller.userId !== id || !session || !includesToken(view)) return user
  return { ...user, text: `${user.text.slice(0, -1)},"sessionToken":${JSON.stringify(session)}}` }
}

function includesToken({ include, selection }: View): boolean {
  const isExcluded = selection?.excluded.some((path) => path.join('.') === TOKEN)
  return !isExcluded && [include, selection?.included].some((tree) => tree && Object.hasOwn(tree, TOKEN))
}

const TOKEN = 'sessionToken'

/**
 * Replaces a user's session token; the old one becomes invalid at once (protocol/accounts, Session tokens and
 * passwords).
 * @returns the user with its new token
 * @throws ApiError 206 unless the caller is the user or has the master key, 211 when the user does not exist
 */
export async function refreshSession(accounts: Accounts, id: string, caller: Caller): Promise<string> {
  checkOwner(id, caller)
  const text = await accounts.database.transaction(async (transaction) => {
    if (!(await findUser(accounts, byId(id), transaction, true))) throw errors.userNotFound()
    await updateObject(accounts.objects, '_User', id, {}, { where: null, fetch: false, transaction }, MASTER)
    const token = await accounts.sessions.replace(transaction, id)
    const user = await findUser(accounts, byId(id), transaction)
    return presentLogin(accounts, user!.row, token)
  }, caller.origin?.principal)
  await accounts.sessions.forget(id)
  return text
}
