import type { Executor } from '../database/pool.ts'
import { errors } from '../errors.ts'
import { type Caller, MASTER } from '../objects/access/caller.ts'
import { countCaller } from '../objects/access/count-caller.ts'
import { updateObject } from '../objects/writing/update.ts'
import type { Principal } from '../scheduling/principal.ts'
import { member } from '../values/json.ts'
import { type AccountLink, makeLink, useLink } from './account-links.ts'
import { type Accounts, byEmail, byId, findUser, type StoredUser } from './accounts.ts'
import { identified } from './linked-accounts.ts'
import { fillTemplate, RESET_TEMPLATE } from './mail-templates.ts'
import { setPassword } from './set-password.ts'
import { checkEmail } from './user-body.ts'

/**
 * Sends a mail with a link to a page that takes a new password (protocol/accounts, E-mail flows).
 * @throws ApiError 125, 204, 205, 429; 1 when the address has received too many mails
 */
export async function requestPasswordReset(
  accounts: Accounts,
  address: unknown,
  baseUrl: () => string,
  caller: Caller,
): Promise<void> {
  if (address === undefined || address === null || address === '') throw errors.emailMissing()
  const email = checkEmail(address)
  await countCaller(accounts.objects.limits, 'mails', caller)
  await accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byEmail(email), transaction, true)
    if (!user) throw errors.emailUnknown()
    const token = await makeLink(accounts, transaction, 'reset', user.id, email)
    const template = accounts.settings().templates.reset ?? RESET_TEMPLATE
    const link = `${baseUrl()}/1.1/resetPassword/${token}`
    const username = String(member(user.data, 'username') ?? '')
    const variables = { appname: accounts.appName(), username, email, link }
    await accounts.mailer.send({ appId: accounts.appId, to: email, ...fillTemplate(template, variables) }, transaction)
  }, caller.origin?.principal)
}

/**
 * Sets the password that the owner of a reset link has chosen. The session token changes with it (protocol/accounts,
 * Session tokens and passwords); a lock on the login stays (protocol/accounts, Login lockout).
 * @param password checked by `checkPassword`
 * @param principal charged for the work
 * @returns whether the link was still usable
 */
export async function resetPassword(
  accounts: Accounts,
  link: AccountLink,
  token: string,
  password: string,
  principal: Principal,
): Promise<boolean> {
  const hash = await accounts.passwords.hash(password, principal)
  const done = await accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byId(link.userId), transaction, true)
    if (!user || member(user.data, 'email') !== link.email) return false
    if (!(await useLink(transaction, 'reset', token))) return false
    await replaceForgotten(accounts, transaction, user, hash)
    return true
  }, principal)
  if (done) await accounts.sessions.forget(link.userId)
  return done
}

/** Stores the hash of a new password in place of a forgotten one. Afterwards the caller has to call `sessions.forget`. */
export async function replaceForgotten(
  accounts: Accounts,
  transaction: Executor,
  user: StoredUser,
  hash: string,
): Promise<void> {
  const options = { where: null, fetch: false, transaction, updatedKeys: [] }
  const fields = await identified(accounts, transaction, user)
  await updateObject(accounts.objects, '_User', user.id, fields, options, MASTER)
  await setPassword(accounts, transaction, user.id, hash, true)
}
