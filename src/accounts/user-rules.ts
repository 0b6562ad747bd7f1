import { type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { exportedPair } from './password-forms.ts'

/** Credentials. They never become part of an object, where queries could read them. */
const SECRETS = ['password', 'salt', 'sessionToken', 'smsCode']

/**
 * The rules of `_User`: only the user itself or the master key may write a user, regardless of its ACL.
 * @param ownProfileNeedsPermission whether the class permission `update` also applies to a user's updates of itself
 */
export function userRules(credentials: Sql, ownProfileNeedsPermission: () => boolean): ClassRules {
  return {
    create: withoutSecrets,
    update: withoutSecrets,
    write: checkOwner,
    updatesOwn: (id, { userId }) => userId === id && !ownProfileNeedsPermission(),
    missing: errors.userNotFound,
    // Only the master key sees tokens in query results; otherwise a token is returned to its user alone, and queries
    // cannot compare it (protocol/accounts, Session tokens and passwords).
    shownToMaster: sql`data || COALESCE((
      SELECT jsonb_build_object('sessionToken', session_token)
      FROM ${credentials}
      WHERE user_id = id AND session_token IS NOT NULL), '{}'::jsonb)`,
    exported: {
      value: sql`(
        SELECT jsonb_build_object('sessionToken', session_token, 'password', password)
        FROM ${credentials}
        WHERE user_id = id)`,
      members: exportedCredentials,
    },
  }
}

/**
 * Returns the credentials in an exported line of a user: in the hosted service's form if the password is stored in it
 * (protocol/moving-in, Users in exports), else in a form that only Homeport can read.
 */
function exportedCredentials(value: Json): JsonObject {
  const { sessionToken = null, password = null } = isJsonObject(value) ? value : {}
  const pair = typeof password === 'string' ? (exportedPair(password) ?? { password }) : {}
  return { ...(sessionToken !== null && { sessionToken }), ...pair }
}

/** @throws ApiError 206 unless the caller is this user or has the master key (protocol/accounts, Session tokens and passwords) */
export function checkOwner(id: string, caller: Caller): void {
  if (!caller.master && caller.userId !== id) throw errors.userWithoutSession()
}

/** Last check: accounts remove credentials from every body before it becomes an object. */
function withoutSecrets(changes: Changes): Changes {
  const key = changes.keys.find((name) => SECRETS.includes(name))
  if (key !== undefined) throw errors.notAllowedForClients(`'${key}' of a user cannot be set here.`)
  return changes
}
