import { errors } from '../errors.ts'
import { member } from '../values/json.ts'
import type { Accounts, StoredUser } from './accounts.ts'

/**
 * Checks that the user's address is verified if the app requires verified addresses (protocol/storage, Settings that
 * change answers).
 * @throws ApiError 216
 */
export function checkMayLogIn(accounts: Accounts, { data }: StoredUser): void {
  if (!accounts.settings().requireVerifiedEmail) return
  const hasEmail = typeof member(data, 'email') === 'string'
  if (hasEmail && member(data, 'emailVerified') !== true) throw errors.emailUnverified()
}

/**
 * Checks that the user's number is verified if the app requires that for logins with the number.
 * @throws ApiError 215
 */
export function checkPhoneVerified(accounts: Accounts, { data }: StoredUser): void {
  if (accounts.settings().requireVerifiedPhone && member(data, 'mobilePhoneVerified') !== true)
    throw errors.phoneNumberUnverified()
}
