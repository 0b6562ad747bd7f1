import { type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { exportedPair } from './password-forms.ts'

/** What proves who a user is. It never becomes part of an object, where queries could read it. */
const SECRETS = ['password', 'salt', 'sessionToken', 'smsCode']

/**
 * What `_User` does differently: only the user itself, or the master key, writes a user, whatever its ACL says.
 * @param ownProfileNeedsPermission whether the class permission `update` binds a user's update of itself, too
 */
export function userRules(credentials: Sql, ownProfileNeedsPermission: () => boolean): ClassRules {
  return {
    create: withoutSecrets,
    update: withoutSecrets,
    write: checkOwner,
    updatesOwn: (id, { userId }) => userId === id && !ownProfileNeedsPermission(),
    missing: errors.userNotFound,
    // protocol/accounts, Session tokens and passwords: otherwise a token is told to its user alone, and never part of
    // what queries compare.
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
 * Lines of users in exports hold what they log in by, in the hosted service's form where it is stored in that
 * (protocol/moving-in, Users in exports). The others can be read by Homeport only.
 */
function exportedCredentials(value: Json): JsonObject {
  const { sessionToken = null, password = null } = isJsonObject(value) ? value : {}
  const pair = typeof password === 'string' ? (exportedPair(password) ?? { password }) : {}
  return { ...(sessionToken !== null && { sessionToken }), ...pair }
}

/**
 * @throws ApiError 206 unless the caller is this user or has the master key (protocol/accounts, Session tokens and
 * passwords)
 */
export function checkOwner(id: string, caller: Caller): void {
  if (!caller.master && caller.userId !== id) throw errors.userWithoutSession()
}

/** The last door: accounts take these out of every body before it becomes an object. */
function withoutSecrets(changes: Changes): Changes {
  const key = changes.keys.find((name) => SECRETS.includes(name))
  if (key !== undefined) throw errors.notAllowedForClients(`'${key}' of a user cannot be set here.`)
  return changes
}
