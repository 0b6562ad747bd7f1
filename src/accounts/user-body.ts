import { errors } from '../errors.ts'
import { isMailAddress } from '../mail/address.ts'
import { isJsonObject, type Json, type JsonObject, storableText } from '../values/json.ts'
import { type AuthDataChanges, checkPlatform, parseAuthData, parsePlatformData } from './auth-data.ts'
import { checkPhoneNumber } from './phone-number.ts'

/** The parsed body of a sign-up or of an update of a user. */
export interface UserBody {
  /** The fields of the object, username and addresses included, validated. */
  readonly fields: JsonObject
  readonly username: string | undefined
  readonly password: string | undefined
  /** null: remove it */
  readonly email: string | null | undefined
  readonly mobilePhoneNumber: string | null | undefined
  /** null: absent from the body */
  readonly authData: AuthDataChanges | null
}

/**
 * Members that are set by the server alone or are not fields of a user. Clients may send them; they are ignored
 * (protocol/accounts, Session tokens and passwords).
 */
const IGNORED = new Set(['sessionToken', 'salt', 'bcryptPassword', 'smsCode'])
const FLAGS = new Set(['emailVerified', 'mobilePhoneVerified'])
const TEXTS = new Set(['username', 'password', 'email', 'mobilePhoneNumber'])
const REMOVAL = { __op: 'Delete' }
const AUTH_DATA_KEY = 'authData.'

const MAX_USERNAME_BYTES = 1024
const MAX_PASSWORD_BYTES = 4096

/**
 * Parses the body of a sign-up or of an update of a user.
 * @param master whether the flags of verification may be set
 * @throws ApiError 105, 107, 111, 125, 127, 217 or 218
 */
export function parseUserBody(body: unknown, master: boolean): UserBody {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const fields: Record<string, Json> = Object.create(null)
  const authData = new Map<string, JsonObject | null>()
  let username: string | undefined
  let email: string | null | undefined
  let mobilePhoneNumber: string | null | undefined
  for (const [key, value] of Object.entries(body)) {
    if (key === 'authData') {
      for (const [platform, data] of parseAuthData(value)) authData.set(platform, data)
    } else if (key.startsWith(AUTH_DATA_KEY)) {
      const platform = checkPlatform(key.slice(AUTH_DATA_KEY.length))
      authData.set(platform, parsePlatformData(platform, value))
    } else if (key === 'username') {
      username = checkUsername(value)
      fields[key] = username
    } else if (key === 'email') {
      email = isRemoval(value) ? null : checkEmail(value)
      fields[key] = email ?? REMOVAL
    } else if (key === 'mobilePhoneNumber') {
      mobilePhoneNumber = isRemoval(value) ? null : checkPhoneNumber(value)
      fields[key] = mobilePhoneNumber ?? REMOVAL
    } else if (key !== 'password' && isOpen(key, master)) {
      fields[key] = value
    }
  }
  return {
    fields,
    username,
    password: body.password === undefined ? undefined : checkPassword(body.password),
    email,
    mobilePhoneNumber,
    authData: authData.size > 0 ? authData : null,
  }
}

/**
 * Returns whether a body may set a field that has no meaning for accounts.
 * @throws ApiError 111 for a member of a text field, such as `email.domain`
 */
function isOpen(key: string, master: boolean): boolean {
  const [root] = key.split('.') as [string]
  if (TEXTS.has(root)) throw errors.incorrectType(`'${key.slice(0, 80)}' cannot be set, because '${root}' is a string.`)
  return !IGNORED.has(root) && (master || !FLAGS.has(root))
}

function isRemoval(value: Json): boolean {
  return value === null || (isJsonObject(value) && value.__op === 'Delete')
}

/** @throws ApiError 217 */
function checkUsername(value: Json): string {
  if (typeof value !== 'string' || value.trim() === '') throw errors.invalidUsername()
  if (Buffer.byteLength(value) > MAX_USERNAME_BYTES)
    throw errors.invalidUsername(`It must have at most ${MAX_USERNAME_BYTES} bytes.`)
  return storableText(value)
}

/** @throws ApiError 218 */
export function checkPassword(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw errors.invalidPassword()
  if (Buffer.byteLength(value) > MAX_PASSWORD_BYTES)
    throw errors.invalidPassword(`It must have at most ${MAX_PASSWORD_BYTES} bytes.`)
  return value
}

/** @throws ApiError 125 */
export function checkEmail(value: unknown): string {
  if (!isMailAddress(value)) throw errors.invalidEmail()
  return value
}
