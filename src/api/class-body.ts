import { z } from 'zod'
import { parseAcl } from '../objects/access/acl.ts'
import { CLASS_OPERATIONS, type ClassPermissions } from '../objects/access/permissions.ts'
import type { FieldDeclaration } from '../objects/classes/field-options.ts'
import type { WantedIndex } from '../objects/classes/index-definition.ts'
import type { ClassChange } from '../objects/classes/stored-classes.ts'
import type { Json } from '../values/json.ts'
import { isClassName } from '../values/names.ts'
import type { FieldType } from '../values/typed.ts'
import { parseBody } from './parse-body.ts'

const SIMPLE_TYPES = [
  'String',
  'Number',
  'Boolean',
  'Object',
  'Array',
  'Date',
  'Bytes',
  'File',
  'GeoPoint',
  'Any',
] as const
const REFERENCE_TYPES = ['Pointer', 'Relation'] as const

/** Any JSON value. */
const value: z.ZodType<Json> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(value), z.record(z.string(), value)]))
  .meta({ id: 'Json' })

const permission = z
  .union([
    z.enum(['public', 'users', 'master']),
    z.strictObject({ users: z.array(z.string()).default([]), roles: z.array(z.string()).default([]) }),
  ])
  .meta({ id: 'ClassPermission' })
const field = z
  .strictObject({
    type: z.enum([...SIMPLE_TYPES, ...REFERENCE_TYPES]).optional(),
    /** Only for Pointer and Relation: the class they refer to. */
    className: z.string().refine(isClassName, 'must be the name of a class').optional(),
    required: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    hidden: z.union([z.boolean(), z.literal('results')]).optional(),
    userPrivate: z.boolean().optional(),
    autoIncrement: z.boolean().optional(),
    searchable: z.boolean().optional(),
    default: value.optional(),
    comment: z.string().max(1000).optional(),
  })
  .refine(({ type, className }) => isReference(type) === (className !== undefined), {
    path: ['className'],
    message: 'must be set for the types Pointer and Relation, and only for them',
  })
  .meta({ id: 'FieldDeclaration' })
const index = z
  .strictObject({ fields: z.array(z.string()).min(1).max(4), unique: z.boolean().default(false) })
  .meta({ id: 'IndexDeclaration' })
const members = {
  permissions: z.partialRecord(z.enum(CLASS_OPERATIONS), permission).optional(),
  defaultAcl: z.record(z.string(), z.unknown()).nullable().optional(),
  fields: z.record(z.string(), field).optional(),
  indexes: z.array(index).optional(),
}
export const changedClass = z.strictObject(members)
export const newClass = z.strictObject({
  className: z.string().refine(isClassName, 'must be a name of letters, digits and _ that begins with a letter'),
  ...members,
})

/** A change of a class with its indexes, in the form of the object store. */
export interface ParsedClass {
  readonly change: ClassChange
  readonly indexes: readonly WantedIndex[]
}

/**
 * Parses a change of a class.
 * @throws ApiError 1 that names each invalid member, 123 for the default ACL
 */
export function parseClassChange(body: unknown): ParsedClass {
  return parsedClass(parseBody(changedClass, body))
}

/**
 * Parses a new class; its name must not exist yet.
 * @throws ApiError 1, 123
 */
export function parseNewClass(body: unknown): ParsedClass & { readonly className: string } {
  const { className, ...rest } = parseBody(newClass, body)
  const { change, indexes } = parsedClass(rest)
  return { className, change: { ...change, mustBeNew: true }, indexes }
}

function parsedClass({ permissions, defaultAcl, fields, indexes = [] }: z.infer<typeof changedClass>): ParsedClass {
  const declarations = fields && new Map(Object.entries(fields).map(([name, given]) => [name, declarationOf(given)]))
  const change: ClassChange = {
    permissions: permissions as ClassPermissions | undefined,
    defaultAcl: defaultAcl && parseAcl(defaultAcl, true),
    fields: declarations,
  }
  return {
    change,
    indexes: indexes.map(({ fields, unique }) => ({ keys: fields.map((text) => keyOf(text, unique)), unique })),
  }
}

function declarationOf({ type, className, ...options }: z.infer<typeof field>): FieldDeclaration {
  if (type === undefined) return options
  return { ...options, type: (className === undefined ? { type } : { type, className }) as FieldType }
}

function isReference(type: string | undefined): boolean {
  return type === 'Pointer' || type === 'Relation'
}

/** Parses a key. `-score` sorts the greatest first; in unique indexes the order makes no difference. */
function keyOf(text: string, unique: boolean): WantedIndex['keys'][number] {
  const isDescending = text.startsWith('-')
  return { field: isDescending ? text.slice(1) : text, descending: isDescending && !unique }
}
