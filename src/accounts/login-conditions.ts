import { errors } from '../errors.ts'
import { member } from '../values/json.ts'
import type { Accounts, StoredUser } from './accounts.ts'

/**
 * @throws ApiError 216 when the app wants verified addresses and this user's is not (protocol/storage, Settings that
 * change answers)
 */
export function checkMayLogIn(accounts: Accounts, { data }: StoredUser): void {
  if (!accounts.settings().requireVerifiedEmail) return
  const hasEmail = typeof member(data, 'email') === 'string'
  if (hasEmail && member(data, 'emailVerified') !== true) throw errors.emailUnverified()
}

/** @throws ApiError 215 when the app wants a verified number for a login with it, and this user's is not */
export function checkPhoneVerified(accounts: Accounts, { data }: StoredUser): void {
  if (accounts.settings().requireVerifiedPhone && member(data, 'mobilePhoneVerified') !== true)
    throw errors.phoneNumberUnverified()
}
