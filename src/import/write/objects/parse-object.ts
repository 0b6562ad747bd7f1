import { type Identity, uidsOf, unionEntryOf } from '../../../accounts/auth-data.ts'
import { readStoredForm, storedFormOf } from '../../../accounts/password-forms.ts'
import { errors } from '../../../errors.ts'
import { type AclColumns, aclColumns, parseAcl } from '../../../objects/access/acl.ts'
import { canonicalDate, isDatabaseTime } from '../../../values/date.ts'
import { type FieldType, typeOfValue } from '../../../values/field-type.ts'
import { emptyAsObject, isJsonObject, type Json, type JsonObject, MAX_VALUES, parseJson } from '../../../values/json.ts'
import { checkKeyName, checkObjectId } from '../../../values/names.ts'
import { newObjectId } from '../../../values/object-id.ts'
import { normalise } from '../../../values/typed.ts'
import { holdsLargeNumber, inexactIntegers } from './inexact-integers.ts'
import type { FieldTypes, SharedTypes } from './shared-types.ts'

/** What proves who a user is, as it is stored. */
interface Credentials {
  /** In a form that `Passwords` reads. */
  readonly password: string | null
  readonly sessionToken: string | null
}

/** An object on its way into the table of its class. */
export interface ImportedObject {
  readonly id: string
  /** Whether it came with its id. */
  readonly hasId: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly acl: AclColumns
  /** Its fields as JSON. */
  readonly data: string
  /** Of its fields. Objects that have the same ones share them. */
  readonly types: FieldTypes
  /** Of users only. */
  readonly credentials: Credentials | null
  readonly identities: readonly Identity[]
  /** What is not as it was, or should be known of it. */
  readonly notes: readonly string[]
}

/** An object as it has been read. */
export interface ParsedObject extends ImportedObject {
  readonly fields: JsonObject
}

export const NO_IDENTITIES: readonly Identity[] = []
export const NO_NOTES: readonly string[] = []

/** Members of a line that are no fields. */
const SYSTEM_KEYS = new Set(['objectId', 'createdAt', 'updatedAt', 'ACL', 'className'])
const SECRETS = new Set(['password', 'salt', 'sessionToken', 'bcryptPassword'])
/** Unique where they are given: the empty text of many users would be one address. */
const ADDRESSES = new Set(['email', 'mobilePhoneNumber'])

/**
 * Reads an object as a line of an export has it (protocol/moving-in, JSON export).
 * @param now the time of an object that has none of its own, as a canonical date
 * @param shared what the objects before had
 * @throws ApiError that names what cannot be taken
 */
export function parseObject(className: string, text: string, now: string, shared: SharedTypes): ParsedObject {
  const line = parseJson(text, 'The line', MAX_VALUES * 10)
  if (!isJsonObject(line)) throw errors.malformedJson('The line must be a JSON object.')
  const isUser = className === '_User'
  const notes: string[] = holdsLargeNumber(line) ? inexactIntegers(text) : []
  // No name that an object inherits begins otherwise than with two underscores, or matters here.
  const fields: Record<string, Json> = {}
  const types = new Map<string, FieldType>()
  for (const key of Object.keys(line)) {
    const value = line[key]!
    if (isUser && SECRETS.has(key)) continue
    if (SYSTEM_KEYS.has(key) || key.startsWith('__') || (isUser && ADDRESSES.has(key) && value === '')) {
      const note = noteOfDropped(className, key, value)
      if (note) notes.push(note)
      continue
    }
    checkKeyName(key)
    const stored = normalise(value, key)
    const type = typeOfValue(stored)
    if (type) types.set(key, type)
    // It says only that the field is one: its members are elsewhere.
    if (type?.type !== 'Relation') fields[key] = stored
  }
  const createdAt = dateOf(line.createdAt, 'createdAt') ?? dateOf(line.updatedAt, 'updatedAt') ?? now
  const hasId = (line.objectId ?? null) !== null
  return {
    id: hasId ? checkObjectId(line.objectId) : newObjectId(),
    hasId,
    createdAt,
    updatedAt: dateOf(line.updatedAt, 'updatedAt') ?? createdAt,
    acl: aclOf(line.ACL, notes),
    fields,
    data: JSON.stringify(fields),
    types: shared.of(types),
    credentials: isUser ? credentialsOf(line, notes) : null,
    identities: isUser ? identitiesOf(fields.authData) : NO_IDENTITIES,
    notes: notes.length === 0 ? NO_NOTES : notes,
  }
}

/** What is to be known of a member that is no field here; null where nothing is lost. */
function noteOfDropped(className: string, key: string, value: Json): string | null {
  if (ADDRESSES.has(key)) return `an empty ${key}, which is left out`
  const isKept = key !== 'className' && SYSTEM_KEYS.has(key)
  // Objects that were taken from an answer say what they are.
  const isSaid = key === '__type' || (key === 'className' && value === className)
  return isKept || isSaid ? null : `a member '${key.slice(0, 60)}', which is left out: no field can have this name`
}

/** @returns null when there is none */
function dateOf(value: Json | undefined, name: string): string | null {
  if (value === undefined || value === null) return null
  const text = isJsonObject(value) && value.__type === 'Date' ? value.iso : value
  const date = typeof text === 'string' ? canonicalDate(text) : null
  if (date === null || !isDatabaseTime(date))
    throw errors.incorrectType(`'${name}' must be a date such as '2026-01-31T00:00:00.000Z'.`)
  return date
}

/** An object without an ACL is everybody's; one with an empty ACL only that of the master key. */
function aclOf(value: Json | undefined, notes: string[]): AclColumns {
  if (value === undefined || value === null) return aclColumns(null)
  const acl = parseAcl(value)
  if (Object.keys(acl).length === 0) notes.push('an empty ACL: only the master key reads and writes the object')
  return aclColumns(acl)
}

/** protocol/moving-in, Users in exports; protocol/moving-in, Import forms: `bcryptPassword` */
function credentialsOf(line: JsonObject, notes: string[]): Credentials {
  const { sessionToken = null } = line
  return {
    password: passwordOf(line, notes),
    sessionToken: typeof sessionToken === 'string' && sessionToken !== '' ? sessionToken : null,
  }
}

function passwordOf(
  { password = null, salt = null, bcryptPassword = null }: JsonObject,
  notes: string[],
): string | null {
  const given = bcryptPassword ?? password
  if (given === null || given === '') return null
  try {
    if (typeof password === 'string' && typeof salt === 'string' && salt !== '') return storedFormOf(password, salt)
  } catch {
    // Noted below: the user is taken, and asks for a new password.
  }
  if (typeof given === 'string' && readStoredForm(given)) return given
  notes.push('a password in an unknown form: the user has to reset it')
  return null
}

/** The third-party accounts that lead to a user. */
function identitiesOf(authData: Json | undefined): Identity[] {
  const platforms = emptyAsObject(authData)
  if (!isJsonObject(platforms)) return []
  return Object.entries(platforms).flatMap(([platform, data]) => {
    if (!isJsonObject(data)) return []
    return unionEntryOf(platform, data) ?? uidsOf(platform, data).map((uid) => ({ platform, uid }))
  })
}
