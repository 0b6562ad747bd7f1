import type { ClassDescription, Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'

/** A column of typed CSV in the format of the hosted service: the type in the first line, the name in the second. */
export interface Column {
  readonly name: string
  /** Such as `string`, `double` or `pointer:_User` */
  readonly type: string
}

const TYPES: { readonly [type: string]: string } = {
  String: 'string',
  Number: 'double',
  Boolean: 'boolean',
  Date: 'date',
  Object: 'object',
  Array: 'array',
  File: 'file',
  GeoPoint: 'geopoint',
  Bytes: 'object',
  Any: 'any',
}

/** Returns the columns of a class, without relations. */
export function columnsOf({ fields }: Pick<ClassDescription, 'fields'>): Column[] {
  const own = Object.entries(fields).flatMap(([name, field]) => {
    const type = csvType(field)
    return type === null ? [] : [{ name, type }]
  })
  return [
    { name: 'objectId', type: 'string' },
    ...own,
    { name: 'createdAt', type: 'date' },
    { name: 'updatedAt', type: 'date' },
    { name: 'ACL', type: 'acl' },
  ]
}

export function csvType({ type, className }: Field): string | null {
  return type === 'Pointer' ? `pointer:${className}` : (ownMember(TYPES, type) ?? null)
}
