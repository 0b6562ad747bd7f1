import type { Executor } from '../database/pool.ts'
import { errors } from '../errors.ts'
import { type Caller, MASTER } from '../objects/access/caller.ts'
import { countCaller } from '../objects/access/count-caller.ts'
import { updateObject } from '../objects/writing/update.ts'
import { member } from '../values/json.ts'
import { type AccountLink, makeLink, useLink } from './account-links.ts'
import { type Accounts, byEmail, byId, findUser } from './accounts.ts'
import { fillTemplate, VERIFICATION_TEMPLATE } from './mail-templates.ts'
import { checkEmail, type UserBody } from './user-body.ts'
import { FROM_A_LINK, notifyVerified } from './user-hooks.ts'

export interface Addressee {
  readonly id: string
  readonly username: string
  readonly email: string
}

/** Returns whether a user that gets this address receives a mail to verify it. */
export function sendsVerification(accounts: Accounts, { email }: Pick<UserBody, 'email'>): boolean {
  return typeof email === 'string' && accounts.settings().sendVerificationEmail
}

/** Sends the mail that verifies an address, when the transaction commits. */
export async function sendVerification(
  accounts: Accounts,
  transaction: Executor,
  { id, username, email }: Addressee,
  baseUrl: () => string,
): Promise<void> {
  const token = await makeLink(accounts, transaction, 'verification', id, email)
  const template = accounts.settings().templates.verification ?? VERIFICATION_TEMPLATE
  const link = `${baseUrl()}/1.1/verifyEmail/${token}`
  const variables = { appname: accounts.appName(), username, email, link }
  await accounts.mailer.send({ appId: accounts.appId, to: email, ...fillTemplate(template, variables) }, transaction)
}

/**
 * Sends the verification mail again (protocol/accounts, E-mail flows). Sends nothing to an address that is already
 * verified.
 * @throws ApiError 125, 204, 205, 429; 1 when the app verifies no addresses, or the address has received too many mails
 */
export async function requestEmailVerification(
  accounts: Accounts,
  address: unknown,
  baseUrl: () => string,
  caller: Caller,
): Promise<void> {
  if (address === undefined || address === null || address === '') throw errors.emailMissing()
  const email = checkEmail(address)
  if (!accounts.settings().sendVerificationEmail)
    throw errors.badArgument('Please enable the option to verify user emails in application settings.')
  await countCaller(accounts.objects.limits, 'mails', caller)
  await accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byEmail(email), transaction, true)
    if (!user) throw errors.emailUnknown()
    if (member(user.data, 'emailVerified') === true) return
    const username = String(member(user.data, 'username') ?? '')
    await sendVerification(accounts, transaction, { id: user.id, username, email }, baseUrl)
  }, caller.origin?.principal)
}

/**
 * Verifies an address by the link of a verification mail (protocol/accounts, emailVerified).
 * @returns false when the link has expired, was used, or the user's address has changed since
 */
export async function verifyEmail(accounts: Accounts, link: AccountLink, token: string): Promise<boolean> {
  return accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byId(link.userId), transaction, true)
    if (!user || member(user.data, 'email') !== link.email) return false
    if (!(await useLink(transaction, 'verification', token))) return false
    const options = { where: null, fetch: false, transaction }
    await updateObject(accounts.objects, '_User', user.id, { emailVerified: true }, options, MASTER)
    await notifyVerified(accounts, 'email', user.id, FROM_A_LINK, transaction)
    return true
  })
}

/** Returns whether the address that a link was sent to is still the user's and is verified. */
export async function hasVerified(accounts: Accounts, { userId, email }: AccountLink): Promise<boolean> {
  const user = await findUser(accounts, byId(userId))
  return user !== null && member(user.data, 'email') === email && member(user.data, 'emailVerified') === true
}
