import type { JsonObject } from '../values/json.ts'
import { ANONYMOUS_PLATFORM, type AuthDataChanges } from './auth-data.ts'

/*
 * An anonymous user is known by an id that its device keeps. It is anonymous no more as soon as it can log in otherwise:
 * by a platform, a password or a verified number. The id must not lead to it from then on, or whoever has the device next
 * would enter the account (protocol/accounts, authData).
 */

/**
 * The changes of a user's links, with the end of its anonymity where they link a platform. Clients that send back what
 * they have read send the anonymous account beside the platform; it goes all the same.
 * @param stored the user's authData so far
 */
export function heedAnonymity(stored: JsonObject, changes: AuthDataChanges): AuthDataChanges {
  const linksPlatform = [...changes].some(([platform, data]) => data !== null && platform !== ANONYMOUS_PLATFORM)
  return linksPlatform && (isAnonymous(stored) || changes.has(ANONYMOUS_PLATFORM)) ? ended(changes) : changes
}

/** The changes of the links of a user who can log in otherwise from now on; null when there are none. */
export function endAnonymity(stored: JsonObject, changes: AuthDataChanges | null): AuthDataChanges | null {
  return isAnonymous(stored) ? ended(changes ?? new Map()) : changes
}

function isAnonymous(stored: JsonObject): boolean {
  return Object.hasOwn(stored, ANONYMOUS_PLATFORM)
}

function ended(changes: AuthDataChanges): AuthDataChanges {
  return new Map([...changes, [ANONYMOUS_PLATFORM, null]])
}
