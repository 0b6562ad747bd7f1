import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { type ClassOperation, checkPermission } from '../../objects/access/permissions.ts'
import { checkReadOnly } from '../../objects/classes/field-options.ts'
import { parseChanges } from '../../objects/operations/parse.ts'
import { schemaFor } from '../../objects/writing/create.ts'
import { emptyAsObject, isJsonObject, type JsonObject } from '../../values/json.ts'
import { FOLLOWEE, FOLLOWER, type Friendship } from './friendship.ts'

/** Fields of follows that only the server sets. */
const OWN_FIELDS = ['user', 'followee', 'follower', 'friendStatus']

/** Maximum bytes of the attributes of a follow, which is stored twice. */
const MAX_BYTES = 128 * 1024

/**
 * Parses the attributes of a follow or friendship (protocol/social, Friendship). An `ACL` among them applies to its rows.
 * @param wire an object of fields; null and undefined: none
 * @param name the name in error texts
 * @throws ApiError 1, 107, 116
 */
export function parseAttributes(wire: unknown, name: string): JsonObject {
  const given = emptyAsObject(wire ?? {})
  if (!isJsonObject(given)) throw errors.malformedJson(`${name} must be a JSON object of attributes.`)
  // Some SDKs send null when there is no ACL (protocol/conventions, Requests).
  const { ACL, ...fields } = given
  const attributes = (ACL ?? null) === null ? fields : given
  checkNotOwn(Object.keys(attributes).map((key) => key.split('.', 1)[0]!))
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_BYTES)
    throw errors.objectTooLarge(`The attributes of a friendship must have at most ${MAX_BYTES} bytes.`)
  return attributes
}

/** Checks that no field is reserved for the server. @throws ApiError 119 */
export function checkNotOwn(fields: readonly string[]): void {
  const own = fields.find((field) => OWN_FIELDS.includes(field))
  if (own !== undefined) throw errors.notAllowedForClients(`'${own}' of a follow can only be set by the server.`)
}

/**
 * Checks that the caller may write follows with these attributes, and registers their fields before the transaction, which must
 * not wait for that.
 * @param changing whether the attributes can name parts of fields, as in updates
 * @throws ApiError 111, 117, 154 or 403, and the errors of `parseChanges`
 */
export async function admitAttributes(
  { objects }: Pick<Friendship, 'objects'>,
  operation: ClassOperation,
  attributes: JsonObject,
  changing: boolean,
  caller: Caller,
): Promise<void> {
  for (const className of [FOLLOWEE, FOLLOWER]) {
    checkPermission(className, objects.classes.get(className)!.permissions, operation, caller)
    if (Object.keys(attributes).length === 0) continue
    const changes = parseChanges(attributes, changing)
    checkReadOnly(changes, await schemaFor(objects, className, changes, caller), caller)
  }
}
