import { CLASS_OPERATIONS, type ClassOperation, type Permission } from '../../objects/access/permissions.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { Field } from '../../objects/classes/field.ts'
import type { JsonObject } from '../../values/json.ts'

/** The schema export of a class in the hosted service's form (protocol/moving-in, Schema export). */
export interface HostedSchema {
  readonly schema: object
  readonly permissions: object
  readonly indexes: readonly object[]
}

const HOSTED_NAMES: { readonly [operation in ClassOperation]: string } = {
  create: 'create',
  find: 'find',
  get: 'get',
  update: 'update',
  delete: 'delete',
  addField: 'add_fields',
}

/** The description of a B-tree index, with its keys: `unique a,b` or `status,-score`. */
const DESCRIPTION = /^(unique )?(-?[A-Za-z]\w*(?:,-?[A-Za-z]\w*)*)$/

/**
 * @param indexes descriptions of the indexes of the class; those without a counterpart are omitted, because they are built on
 *   demand
 */
export function hostedSchema(schema: ClassSchema, indexes: readonly string[]): HostedSchema {
  const fields = [...schema.fields.values()].map((field) => [field.name, columnOf(field)] as const)
  return {
    schema: {
      ACL: { type: 'ACL', default: schema.defaultAcl ?? { '*': { read: true, write: true } } },
      ...Object.fromEntries(fields),
    },
    permissions: Object.fromEntries(
      CLASS_OPERATIONS.map((operation) => [
        HOSTED_NAMES[operation],
        hostedPermission(schema.permissions[operation] ?? 'public'),
      ]),
    ),
    indexes: indexes.flatMap((description) => hostedIndex(description) ?? []),
  }
}

function columnOf({ type, options }: Field): JsonObject {
  return {
    ...type,
    ...(options.default !== undefined && { default: options.default }),
    ...(options.required && { required: true }),
    ...(options.readOnly && { read_only: true }),
    ...(options.hidden && { hidden: true }),
    // The hosted service has no such option: its hidden columns can be queried.
    ...(options.hidden === true && { hidden_from_queries: true }),
    ...(options.userPrivate && { user_private: true }),
    ...(options.autoIncrement && { auto_increment: true }),
    ...(options.comment && { comment: options.comment }),
  }
}

function hostedPermission(permission: Permission): object {
  switch (permission) {
    case 'public':
      return { '*': true }
    case 'users':
      return { onlySignInUsers: true, users: [], roles: [] }
    case 'master':
      return { '*': false }
    default:
      return { '*': false, users: permission.users, roles: permission.roles }
  }
}

function hostedIndex(description: string): object | null {
  const [, unique, fields] = DESCRIPTION.exec(description) ?? []
  if (fields === undefined) return null
  const keys = fields.split(',').map((key) => [key.replace(/^-/, ''), key.startsWith('-') ? -1 : 1] as const)
  const name = keys.map(([field, order]) => `${field}_${order}`).join('_')
  return { ...(unique && { unique: true, sparse: true }), key: Object.fromEntries(keys), name }
}
