import { type Identity, uidsOf, unionEntryOf } from '../../../accounts/auth-data.ts'
import { readStoredForm, storedFormOf } from '../../../accounts/password-forms.ts'
import { ApiError, errors } from '../../../errors.ts'
import { type Notice, notice } from '../../../notices/notice.ts'
import { type AclColumns, aclColumns } from '../../../objects/access/acl.ts'
import { canonicalDate, isDatabaseTime } from '../../../values/date.ts'
import { emptyAsObject, isJsonObject, type Json, type JsonObject, MAX_VALUES, parseJson } from '../../../values/json.ts'
import { checkKeyName, checkObjectId, isObjectId, newObjectId } from '../../../values/names.ts'
import { type FieldType, normalise, typeOfValue } from '../../../values/typed.ts'
import { mayHoldOddText } from '../../odd-text.ts'
import { extendedValue, plainId } from './extended-json.ts'
import { holdsLargeNumber, inexactIntegers } from './inexact-integers.ts'
import { lenientAcl } from './lenient-acl.ts'
import { withNumbersForNaN } from './nan-tokens.ts'
import { isRelation, ROUNDED, withoutOddValues } from './odd-values.ts'
import { type FieldTypes, SharedTypes } from './shared-types.ts'
import { NO_TEXT_COLUMNS, TextColumnReader, type TextColumns } from './text-columns.ts'

/** The credentials of a user as stored. */
interface Credentials {
  /** In a form that `Passwords` can verify. */
  readonly password: string | null
  readonly sessionToken: string | null
}

/** An object to be written to the table of its class. */
export interface ImportedObject {
  readonly id: string
  /** Whether the source had its id. */
  readonly hasId: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly acl: AclColumns
  /** Its fields as JSON. */
  readonly data: string
  /** Field types. Objects with the same types share the map. */
  readonly types: FieldTypes
  /** Only for users. */
  readonly credentials: Credentials | null
  readonly identities: readonly Identity[]
  /** Changes and remarks about the object. */
  readonly notes: readonly Notice[]
}

/** An object as parsed. */
export interface ParsedObject extends ImportedObject {
  readonly fields: JsonObject
}

export const NO_IDENTITIES: readonly Identity[] = []
export const NO_NOTES: readonly Notice[] = []

/** Members of a line that are not fields. */
const SYSTEM_KEYS = new Set(['objectId', 'createdAt', 'updatedAt', 'ACL', 'className'])
const SECRETS = new Set(['password', 'salt', 'sessionToken', 'bcryptPassword'])
/** Unique values, by class: the empty text of several objects would be a duplicate. */
const UNIQUE_TEXTS: { readonly [className: string]: ReadonlySet<string> } = {
  _User: new Set(['username', 'email', 'mobilePhoneNumber']),
  _Installation: new Set(['installationId', 'deviceToken']),
}

/**
 * Records that a value is stored in changed form.
 * @param error the error to throw if the record is rejected
 * @throws ApiError when such records are rejected
 */
type NoteChange = (note: Notice, error?: ApiError) => void

/** Options for reading the records of a class. */
export interface ReadingOptions {
  readonly className: string
  /** The time of an object without times, as a canonical date. */
  readonly now: string
  /** Rejects records with invalid values; otherwise null is stored for these values. */
  readonly strict?: boolean | undefined
  readonly textColumns?: TextColumns | undefined
}

/** @returns a function that parses a line of an export into an object (protocol/moving-in, JSON export) */
export function objectParser(options: ReadingOptions): (text: string) => ParsedObject {
  const shared = new SharedTypes()
  const texts = new TextColumnReader(options.textColumns ?? NO_TEXT_COLUMNS)
  return (text) => parseObject(text, options, shared, texts)
}

/**
 * @param shared the types of previous objects
 * @throws ApiError that names the invalid member
 */
function parseObject(
  text: string,
  options: ReadingOptions,
  shared: SharedTypes,
  texts: TextColumnReader,
): ParsedObject {
  const { className, now, strict = false } = options
  const line = parseLine(text)
  const isUser = className === '_User'
  const uniqueTexts = UNIQUE_TEXTS[className]
  const notes: Notice[] = holdsLargeNumber(line) ? inexactIntegers(text) : []
  const hasOddText = mayHoldOddText(text)
  const change: NoteChange = (note, error) => {
    if (strict) throw error ?? errors.incorrectType(notice('refusedByStrict', { note }))
    notes.push(note)
  }
  // A plain object is safe: inherited names that matter begin with two underscores, and such members are dropped.
  const fields: Record<string, Json> = {}
  const types = new Map<string, FieldType>()
  const id = idOf(line, change)
  for (const key of Object.keys(line)) {
    const value = line[key]!
    if (isUser && SECRETS.has(key)) continue
    if (key === '_id' && id.isMongo) continue
    if (SYSTEM_KEYS.has(key) || key.startsWith('__') || (value === '' && uniqueTexts?.has(key))) {
      const note = noteOfDropped(className, key, value)
      if (note) notes.push(note)
      continue
    }
    checkKeyName(key)
    const meant = typeof value === 'string' ? texts.read(key, value) : value
    const stored = storedValue(meant, key, hasOddText, notes, change)
    const type = typeOfValue(stored)
    if (type) types.set(key, type)
    // A Relation value only marks the field; its members are stored elsewhere.
    if (!isRelation(value)) fields[key] = stored
  }
  const changedAt = dateOf(line.updatedAt, 'updatedAt', change)
  const createdAt = dateOf(line.createdAt, 'createdAt', change) ?? changedAt ?? now
  return {
    id: id.id ?? newObjectId(),
    hasId: id.id !== null,
    createdAt,
    updatedAt: changedAt ?? createdAt,
    acl: aclOf(line.ACL, notes, change),
    fields,
    data: JSON.stringify(fields),
    types: shared.of(types),
    credentials: isUser ? credentialsOf(line, notes) : null,
    identities: isUser ? identitiesOf(fields.authData) : NO_IDENTITIES,
    notes: notes.length === 0 ? NO_NOTES : notes,
  }
}

/** @throws ApiError 107 */
function parseLine(text: string): JsonObject {
  const line = parseJson(withNumbersForNaN(text), notice('theLine'), MAX_VALUES * 10)
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  return line
}

/**
 * Returns the id of an object: its `objectId`, or the `_id` of MongoDB, which pointers refer to. An `_id` that is not a valid
 * objectId stays a field.
 * @returns null when the object has none
 * @throws ApiError 104 for an invalid `objectId`
 */
function idOf(
  { objectId = null, _id = null }: JsonObject,
  change: NoteChange,
): { readonly id: string | null; readonly isMongo: boolean } {
  const mongoId = plainId(_id)
  if (objectId !== null) {
    const id = checkObjectId(plainId(objectId))
    return { id, isMongo: mongoId === id }
  }
  if (isObjectId(mongoId)) return { id: mongoId, isMongo: true }
  if (_id !== null) change(notice('idReplaced'))
  return { id: null, isMongo: false }
}

/** @throws any error of `change`; ApiError that names an invalid value if `change` rejects it */
function storedValue(value: Json, key: string, hasOddText: boolean, notes: Notice[], change: NoteChange): Json {
  let refusal: ApiError | undefined
  try {
    const normal = normalise(value, key)
    if (!hasOddText) return normal
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusal = error
  }
  const { value: stored, changes } = withoutOddValues(value)
  for (const what of changes)
    if (what === ROUNDED) notes.push(what)
    else change(notice('fieldProblem', { field: key, reason: what }), refusal)
  return stored
}

/** Returns the note for a member that is not stored as a field; null when no information is lost. */
function noteOfDropped(className: string, key: string, value: Json): Notice | null {
  if (value === '' && UNIQUE_TEXTS[className]?.has(key)) return notice('emptyAddressLeftOut', { field: key })
  const isKept = key !== 'className' && SYSTEM_KEYS.has(key)
  // Objects from API responses name their type and class.
  const isSaid = key === '__type' || (key === 'className' && value === className)
  return isKept || isSaid ? null : notice('memberLeftOut', { member: key.slice(0, 60) })
}

/** @returns null when there is none, or when the time of a Date is null */
function dateOf(value: Json | undefined, name: string, change: NoteChange): string | null {
  if (value === undefined || value === null) return null
  const given = isJsonObject(value) ? (extendedValue(value) ?? value) : value
  const text = isJsonObject(given) && given.__type === 'Date' ? (given.iso ?? null) : given
  if (text === null) {
    change(notice('dateReplaced', { field: name }))
    return null
  }
  const date = typeof text === 'string' ? canonicalDate(text) : null
  if (date === null || !isDatabaseTime(date)) throw errors.incorrectType(notice('dateForm', { field: name }))
  return date
}

/** Returns the ACL. An object without one is public; one with an empty ACL is only accessible with the master key. */
function aclOf(value: Json | undefined, notes: Notice[], change: NoteChange): AclColumns {
  if (value === undefined || value === null) return aclColumns(null)
  const { acl, isValid } = lenientAcl(value)
  if (!isValid) change(notice('aclEntryLeftOut'))
  if (Object.keys(acl).length === 0) notes.push(notice('emptyAcl'))
  return aclColumns(acl)
}

/** Returns the credentials in a line (protocol/moving-in, Users in exports; Import forms: `bcryptPassword`). */
function credentialsOf(line: JsonObject, notes: Notice[]): Credentials {
  const { sessionToken = null } = line
  return {
    password: passwordOf(line, notes),
    sessionToken: typeof sessionToken === 'string' && sessionToken !== '' ? sessionToken : null,
  }
}

function passwordOf(
  { password = null, salt = null, bcryptPassword = null }: JsonObject,
  notes: Notice[],
): string | null {
  const given = bcryptPassword ?? password
  if (given === null || given === '') return null
  try {
    if (typeof password === 'string' && typeof salt === 'string' && salt !== '') return storedFormOf(password, salt)
  } catch {
    // Noted below: the user is imported and has to reset the password.
  }
  if (typeof given === 'string' && readStoredForm(given)) return given
  notes.push(notice('passwordFormUnknown'))
  return null
}

/** Returns the third-party accounts of a user. */
function identitiesOf(authData: Json | undefined): Identity[] {
  const platforms = emptyAsObject(authData)
  if (!isJsonObject(platforms)) return []
  return Object.entries(platforms).flatMap(([platform, data]) => {
    if (!isJsonObject(data)) return []
    return unionEntryOf(platform, data) ?? uidsOf(platform, data).map((uid) => ({ platform, uid }))
  })
}
