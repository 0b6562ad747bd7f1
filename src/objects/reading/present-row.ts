import { date, text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { withFileIds } from '../../values/file-references.ts'
import { PUBLIC_ACL_TEXT } from '../access/acl.ts'
import { type Caller, seesSecrets } from '../access/caller.ts'
import { type ClassSchema, relationValue } from '../classes/class-schema.ts'
import { adorn } from '../classes/field-options.ts'
import type { ObjectStore, PresentedObject } from '../store.ts'

const [idOf, createdAtOf, aclOf] = [text('id'), date('created_at'), text.orNull('acl')]

/** Returns the time of the last change of a stored object. */
export const updatedAtOf = date('updated_at')

/** Returns the fields of a stored object as JSON text. */
export const dataOf = text('data')

/**
 * Returns the object as JSON text by inserting the stored text after the system fields: most objects pass from the database to
 * the socket unparsed.
 */
export function plainText(schema: ClassSchema, row: Row): string {
  const data = withFileIds(dataOf(row))
  const system = `{"objectId":"${idOf(row)}","createdAt":"${createdAtOf(row)}","updatedAt":"${updatedAtOf(row)}"`
  if (schema.relationText !== '') {
    const head = `${system},${schema.relationText}`
    return data === '{}' ? `${head.slice(0, -1)}}` : head + data.slice(1)
  }
  return data === '{}' ? `${system}}` : `${system},${data.slice(1)}`
}

/** Returns whether the stored text may hold a private field, so that it must not be sent unchanged. */
export function mayHoldPrivate(schema: ClassSchema, row: Row): boolean {
  return schema.privateFields.some((name) => dataOf(row).includes(`"${name}"`))
}

/** Returns an object with all its members as the class presents them; pointers are not expanded. */
export function presentRow(
  store: Pick<ObjectStore, 'rules'>,
  schema: ClassSchema,
  row: Row,
  caller: Caller,
  withAcl: boolean,
): PresentedObject {
  const object: PresentedObject = {
    objectId: idOf(row),
    createdAt: createdAtOf(row),
    updatedAt: updatedAtOf(row),
  }
  for (const field of schema.relationFields) object[field.name] = relationValue(field)
  Object.assign(object, JSON.parse(withFileIds(dataOf(row))))
  adorn(object, schema, caller)
  if (!seesSecrets(caller) && caller.userId !== object.objectId)
    for (const name of schema.privateFields) delete object[name]
  store.rules.get(schema.name)?.show?.(object, caller)
  if (withAcl) object.ACL = JSON.parse(aclOf(row) ?? PUBLIC_ACL_TEXT)
  return object
}
