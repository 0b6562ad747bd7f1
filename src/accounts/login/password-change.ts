import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { PresentedObject } from '../../objects/store.ts'
import { updateObject, updateWithHook } from '../../objects/writing/update.ts'
import { isJsonObject } from '../../values/json.ts'
import { type Accounts, byId, findUser } from '../accounts.ts'
import { setPassword } from '../set-password.ts'
import { checkPassword } from '../user-body.ts'
import { checkPassword as checkGuess } from './log-in.ts'

/**
 * Changes the password of a user that knows the old one (protocol/accounts, Session tokens and passwords). Wrong old
 * passwords count as failed logins, so that a stolen session is no way to guess passwords.
 * @returns `objectId`, `updatedAt` and the session token, which is a new one if the app requires that
 * @throws ApiError 141 and 142 of hooks, 201, 206, 210, 218, 219
 */
export async function changePassword(
  accounts: Accounts,
  id: string,
  body: unknown,
  { userId, origin }: Caller,
): Promise<PresentedObject> {
  if (userId !== id) throw errors.userWithoutSession()
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const { old_password: oldPassword, new_password: newPassword } = body
  if (typeof oldPassword !== 'string') throw errors.badArgument("'old_password' must be a string.")
  if (newPassword === undefined || newPassword === null || newPassword === '') throw errors.passwordMissing()
  const password = checkPassword(newPassword)
  const user = await findUser(accounts, byId(id))
  if (!user) throw errors.userWithoutSession()
  await checkGuess(accounts, user, oldPassword, origin?.principal)
  const self: Caller = { master: true, userId: id, grants: [], ...(origin && { origin }) }
  const updatedKeys = ['password']
  await updateWithHook(accounts.objects, '_User', id, {}, updatedKeys, self)
  const hash = await accounts.passwords.hash(password, origin?.principal)
  const outcome = await accounts.database.transaction(async (transaction) => {
    const options = { where: null, fetch: false, transaction, updatedKeys }
    const answer = await updateObject(accounts.objects, '_User', id, {}, options, self)
    return { ...answer, sessionToken: await setPassword(accounts, transaction, id, hash) }
  })
  await accounts.sessions.forget(id)
  return outcome
}
