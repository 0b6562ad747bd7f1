import type { Row } from '../../database/row.ts'
import type { Text } from '../../values/text-in-pieces.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { PLAIN_VIEW, presentRows } from '../reading/present.ts'
import type { ObjectStore } from '../store.ts'

export interface Created {
  readonly id: string
  readonly createdAt: string
  readonly schema: ClassSchema
  /** The stored fields as JSON. */
  readonly data: Text
  readonly acl: string | null
}

/** Returns a new object as JSON text for the response to its creation. */
export async function presentCreated(store: ObjectStore, object: Created, caller: Caller): Promise<string> {
  const [text] = await presentRows(store, object.schema, [rowOfCreated(object)], PLAIN_VIEW, caller)
  return text!
}

/** Returns the row of a new object, as the database would return it. */
export function rowOfCreated({ id, createdAt, acl, data }: Created): Row {
  const at = createdAt.replace('T', ' ').replace('Z', '+00')
  return { id, created_at: at, updated_at: at, acl, data: String(data) }
}
