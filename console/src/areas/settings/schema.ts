import type { Json } from './draft.ts'

/** The parts of JSON Schema used for settings. */
export interface Schema {
  readonly type?: string
  /** The description of a setting, in English. */
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  /** The schema of each entry of a setting with custom names. */
  readonly additionalProperties?: Schema | false
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly const?: Json
  readonly default?: Json
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  /** Write-only. */
  readonly secret?: boolean
}

export type Path = readonly string[]

/** A setting, or a parent of settings. */
export interface Node {
  readonly path: Path
  /** The path with `*` for each custom name, used to look up explanations. */
  readonly pattern: string
  readonly schema: Schema
  /** Whether it requires a value. */
  readonly isRequired: boolean
}

export function rootOf(schema: Schema): Node {
  return { path: [], pattern: '', schema, isRequired: true }
}

/** Returns the children of a node with fixed names. */
export function childrenOf({ path, pattern, schema }: Node): Node[] {
  return Object.entries(schema.properties ?? {}).map(([name, child]) => ({
    path: [...path, name],
    pattern: pattern === '' ? name : `${pattern}.${name}`,
    schema: child,
    isRequired: schema.required?.includes(name) ?? false,
  }))
}

/** Returns the child of a node with a custom name. */
export function entryOf({ path, pattern, schema }: Node, name: string): Node {
  return {
    path: [...path, name],
    pattern: `${pattern}.*`,
    schema: schema.additionalProperties || {},
    isRequired: true,
  }
}

export type Kind =
  | 'group'
  | 'entries'
  | 'switch'
  | 'choice'
  | 'number'
  | 'texts'
  | 'text'
  | 'longText'
  | 'secret'
  | 'json'

/** Texts with at least this maximum length are keys or mails, with several lines. */
const LONG = 2000

/** Returns how a setting is displayed and edited. */
export function kindOf({ schema, pattern }: Node): Kind {
  const type = typeOf(schema)
  if (schema.secret) return 'secret'
  if (schema.properties) return 'group'
  if (type === 'object') return schema.additionalProperties && isPlain(schema.additionalProperties) ? 'entries' : 'json'
  if (type === 'boolean') return 'switch'
  if (schema.enum) return 'choice'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return 'texts'
  if (type !== 'string') return 'json'
  return isLong(schema) || /\.templates\.\w+\.(text|html)$/.test(pattern) ? 'longText' : 'text'
}

/** Returns whether a text has several lines. */
export function isLong(schema: Schema): boolean {
  return (valueSchema(schema).maxLength ?? 0) >= LONG
}

/** Returns the schema without the alternative null. */
export function valueSchema(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
}

function typeOf(schema: Schema): string | undefined {
  return valueSchema(schema).type
}

/** Returns whether the values of custom names can be displayed: arbitrary JSON cannot. */
function isPlain(schema: Schema): boolean {
  return schema.type !== undefined
}
