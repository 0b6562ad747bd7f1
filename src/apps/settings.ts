import { z } from 'zod'
import { accountSettings, smsSettings } from '../accounts/account-settings.ts'
import { errors } from '../errors.ts'
import { fileSettings } from '../files/file-settings.ts'
import { engineSettings } from '../hooks/engine-settings.ts'
import { leaderboardSettings } from '../leaderboards/leaderboard-settings.ts'
import { limitSettings } from '../limits/limit-settings.ts'
import { messagingSettings } from '../messaging/messaging-settings.ts'
import { pushSettings } from '../push/push-settings.ts'
import { searchSettings } from '../search/search-settings.ts'
import { secretPaths } from '../settings-schema.ts'
import { friendshipSettings } from '../social/friendship/friendship-settings.ts'
import { statusSettings } from '../social/statuses/status-settings.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { isClassName, isKeyName } from '../values/names.ts'
import { securitySettings } from './security-settings.ts'

const consoleSettings = z
  .strictObject({
    titleFields: z
      .record(
        z.string().refine(isClassName, 'must be the name of a class'),
        z.string().refine(isKeyName, 'must be the name of a field'),
      )
      .default({})
      .describe(
        'The field that represents the objects of a class in pointers and relations. For other classes the console uses the first of these that exists: `username`, `name`, `title`, `nickname`, `subject`, `label`.',
      ),
  })
  .prefault({})

export const settings = z.strictObject({
  storage: z
    .strictObject({
      returnAclInQueries: z
        .boolean()
        .default(false)
        .describe('Queries with `returnACL=true` return the ACL of each object.'),
      clientClassCreation: z
        .boolean()
        .default(true)
        .describe(
          'Clients create a class by saving its first object. Otherwise only the master key and the console create classes.',
        ),
    })
    .prefault({}),
  accounts: accountSettings,
  sms: smsSettings,
  messaging: messagingSettings,
  push: pushSettings,
  files: fileSettings,
  friendship: friendshipSettings,
  statuses: statusSettings,
  engine: engineSettings,
  leaderboards: leaderboardSettings,
  search: searchSettings,
  limits: limitSettings,
  security: securitySettings,
  console: consoleSettings,
})

/** Settings of an app, with the defaults filled in. */
export type AppSettings = z.infer<typeof settings>

/**
 * Parses stored settings.
 * @throws ApiError 1 that names each setting that is unknown or has an invalid value
 */
export function parseSettings(stored: unknown): AppSettings {
  const parsed = settings.safeParse(stored)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`)
  throw errors.badArgument(`Invalid settings. ${faults.join('; ')}`)
}

/** Paths of the secret settings: they can be set but are never returned. */
export const SECRET_SETTINGS = secretPaths(settings)

/**
 * Expands names that are paths: `{"engine.production": …}` becomes `{"engine": {"production": …}}`. Documentation and
 * errors name settings by paths.
 * @throws ApiError 1 for two names that contradict each other
 */
export function withPaths(patch: JsonObject): JsonObject {
  const root = new Map<string, Json>()
  for (const [name, value] of Object.entries(patch)) {
    const [section = '', ...path] = name.split('.')
    const isPath = path.length > 0 && Object.hasOwn(settings.shape, section)
    const nested = isPath ? path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) : value
    const key = isPath ? section : name
    if (root.has(key) && !(isJsonObject(root.get(key)) && isJsonObject(nested)))
      throw errors.badArgument(`'${name.slice(0, 100)}' conflicts with another member of the body.`)
    root.set(key, root.has(key) ? joined(root.get(key) as JsonObject, nested as JsonObject) : nested)
  }
  return Object.fromEntries(root)
}

/** Joins two objects; where both have a member, the second one's value counts. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const members = new Map<string, Json>(Object.entries(one))
  for (const [key, value] of Object.entries(other)) {
    const known = members.get(key)
    members.set(key, isJsonObject(known) && isJsonObject(value) ? joined(known, value) : value)
  }
  return Object.fromEntries(members)
}

/** RFC 7396: members of the patch replace those of the target, null removes, objects merge. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
