import { z } from 'zod'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { isJsonObject, type JsonObject, storable, storableText } from '../../values/json.ts'
import { checkFileKey, checkKeyPrefix, isProposedKey, newKey } from '../file-key.ts'
import { DEFAULT_MIME_TYPE, MIME_TYPE_RULE, normalizeMimeType, typeOfName } from '../mime-type.ts'

/** A checked request for an upload. */
export interface UploadRequest {
  readonly key: string
  readonly name: string
  /** null: neither the client nor the name's extension specifies the type, so it is detected from the bytes */
  readonly mimeType: string | null
  /** Members of the record's `metaData`, as the client sent them. */
  readonly metaData: JsonObject
  /** The ACL as sent; undefined: the default ACL of the class */
  readonly acl: JsonObject | undefined
  /** Bytes; null when the client does not specify it. */
  readonly size: number | null
  /** MD5, hexadecimal. */
  readonly checksum: string | null
}

const MAX_NAME = 300
const MAX_METADATA = 10_000
const DEFAULT_NAME = 'file'

const shape = z.looseObject({
  name: z.union([z.string(), z.number()]).nullish(),
  mime_type: z.string().nullish(),
  keep_file_name: z.boolean().nullish(),
  key: z.string().nullish(),
  prefix: z.string().max(500).nullish(),
  metaData: z.unknown().optional(),
  ACL: z.unknown().optional(),
})

/**
 * Parses the body of `POST /fileTokens` (protocol/files, Upload). Null means absent.
 * @throws ApiError 1 that names the invalid member, for a body that does not describe a file, and for a `key` without the master
 *   key
 */
export function parseUploadRequest(body: unknown, caller: Caller): UploadRequest {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const parsed = shape.safeParse(body)
  if (!parsed.success) {
    const [fault] = parsed.error.issues
    throw errors.badArgument(`'${fault!.path.join('.')}' of an upload is wrong: ${fault!.message}`)
  }
  checkSaysSomething(parsed.data)
  const { name: givenName, mime_type: givenType, keep_file_name: keepName, ACL: acl } = parsed.data
  const name = storableText(String(givenName ?? '')) || DEFAULT_NAME
  if (name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw errors.badArgument(`'name' must have at most ${MAX_NAME} characters, and no control characters.`)
  if (acl != null && !isJsonObject(acl)) throw errors.invalidAcl("'ACL' must be an object.")
  const metaData = metaDataOf(parsed.data.metaData)
  return {
    key: keyOf(parsed.data, name, keepName === true, caller),
    name,
    mimeType: givenType ? mimeTypeOf(givenType) : typeOfName(name),
    metaData,
    acl: isJsonObject(acl) && Object.keys(acl).length > 0 ? acl : undefined,
    size: sizeOf(metaData),
    checksum: checksumOf(metaData),
  }
}

/** Members that describe a file. Any of these is enough, because clients differ in which they send. */
const OF_A_FILE = ['name', 'key', 'prefix', 'mime_type', 'metaData'] as const

/** Checks that a body describes a file. @throws ApiError 1 (protocol/files, Upload) */
function checkSaysSomething(body: z.infer<typeof shape>): void {
  const isEmpty = (value: unknown) =>
    value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
  if (OF_A_FILE.every((name) => isEmpty(body[name])))
    throw errors.badArgument('The body must describe the file, such as {"name":"a.png","mime_type":"image/png"}.')
}

/** The type of a file when neither the client nor its name specifies one. */
export const DEFAULT_TYPE = DEFAULT_MIME_TYPE

/** Normalizes the media type of a request. @throws ApiError 1 */
function mimeTypeOf(given: string): string {
  const mimeType = normalizeMimeType(given)
  if (mimeType === null)
    throw errors.badArgument(`'mime_type' ${MIME_TYPE_RULE}, with a charset that browsers support.`)
  return mimeType
}

/** Parses `metaData`. An empty list is PHP's empty object (protocol/files, External files). */
function metaDataOf(given: unknown): JsonObject {
  if (given == null || (Array.isArray(given) && given.length === 0)) return {}
  if (!isJsonObject(given)) throw errors.badArgument("'metaData' must be an object.")
  if (JSON.stringify(given).length > MAX_METADATA)
    throw errors.badArgument(`'metaData' must have at most ${MAX_METADATA} characters.`)
  return storable(given)
}

function keyOf(
  { key, prefix }: { key?: string | null | undefined; prefix?: string | null | undefined },
  name: string,
  keepName: boolean,
  { master }: Caller,
): string {
  if (key && !master && !isProposedKey(key))
    throw errors.badArgument('Unsupported file key. Please use masterKey to set file key.')
  if (key && master) return checkFileKey(key)
  const made = newKey(name, keepName)
  return prefix ? checkFileKey(`${checkKeyPrefix(prefix, master)}/${made}`, 'prefix') : made
}

/** Parses a number of bytes. @throws ApiError 1 */
function sizeOf({ size }: JsonObject): number | null {
  if (size === undefined || size === null) return null
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw errors.badArgument("'metaData.size' must be a number of bytes.")
  return size
}

function checksumOf({ _checksum: checksum }: JsonObject): string | null {
  return typeof checksum === 'string' && /^[0-9a-f]{32}$/i.test(checksum) ? checksum.toLowerCase() : null
}
