import type { Json } from './draft.ts'

/** What of JSON Schema the server says of settings. */
export interface Schema {
  readonly type?: string
  /** What a setting does, in English. */
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  /** Of a setting with names of one's own, what each of them has. */
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
  /** It is set, and never shown. */
  readonly secret?: boolean
}

export type Path = readonly string[]

/** A setting, or what is below a name. */
export interface Node {
  readonly path: Path
  /** The same with `*` for each name of one's own: what explanations go by. */
  readonly pattern: string
  readonly schema: Schema
  /** It is of use only with a value. */
  readonly isRequired: boolean
}

export function rootOf(schema: Schema): Node {
  return { path: [], pattern: '', schema, isRequired: true }
}

/** The settings right below a node that has fixed names. */
export function childrenOf({ path, pattern, schema }: Node): Node[] {
  return Object.entries(schema.properties ?? {}).map(([name, child]) => ({
    path: [...path, name],
    pattern: pattern === '' ? name : `${pattern}.${name}`,
    schema: child,
    isRequired: schema.required?.includes(name) ?? false,
  }))
}

/** What a node has below a name of one's own. */
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

/** Texts of so many characters and more are keys or mails, and have several lines. */
const LONG = 2000

/** How a setting is shown and changed. */
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

/** Whether a text has several lines. */
export function isLong(schema: Schema): boolean {
  return (valueSchema(schema).maxLength ?? 0) >= LONG
}

/** The schema without the null that may stand in place of a value. */
export function valueSchema(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
}

function typeOf(schema: Schema): string | undefined {
  return valueSchema(schema).type
}

/** Names of one's own whose values can be shown: any JSON cannot. */
function isPlain(schema: Schema): boolean {
  return schema.type !== undefined
}
