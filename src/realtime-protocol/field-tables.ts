/** The scalar types of fields. 64-bit numbers are JavaScript numbers, exact up to 2^53. */
type Scalar = 'string' | 'bytes' | 'bool' | 'int32' | 'int64'

/** The declaration of a field: its number on the wire, its type, and its label; optional without a label. */
type Declaration = readonly [number: number, holds: Scalar | Names | FieldTable, label?: 'required' | 'repeated']

type Declarations = Readonly<Record<string, Declaration>>

/** An enumeration: its names and their numbers. */
export interface Names<Name extends string = string> {
  readonly numbers: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, Name>
}

interface FieldBase {
  readonly name: string
  readonly number: number
  readonly repeated: boolean
}

/** A field: a scalar, a name of an enumeration, or a nested message. */
export type Field =
  | (FieldBase & { readonly kind: Scalar })
  | (FieldBase & { readonly kind: 'name'; readonly names: Names })
  | (FieldBase & { readonly kind: 'part'; readonly table: FieldTable })

/** The fields of one message of the protocol. */
export interface FieldTable<Declared extends Declarations = Declarations> {
  /** The declarations, for types only. */
  readonly declared: Declared
  readonly byName: ReadonlyMap<string, Field>
  readonly byNumber: ReadonlyMap<number, Field>
  readonly required: readonly string[]
}

/** Declares an enumeration by its names and their numbers. */
export function names<const Numbers extends Readonly<Record<string, number>>>(
  numbers: Numbers,
): Names<keyof Numbers & string> {
  const entries = Object.entries(numbers)
  return {
    numbers: new Map(entries),
    names: new Map(entries.map(([name, number]) => [number, name])),
  }
}

/** Declares a message by the names of its fields and their numbers, types and labels. */
export function fields<const Declared extends Declarations>(declared: Declared): FieldTable<Declared> {
  const list = Object.entries(declared).map(([name, declaration]) => fieldOf(name, declaration))
  return {
    declared,
    byName: new Map(list.map((field) => [field.name, field])),
    byNumber: new Map(list.map((field) => [field.number, field])),
    required: Object.keys(declared).filter((name) => declared[name]![2] === 'required'),
  }
}

function fieldOf(name: string, [number, holds, label]: Declaration): Field {
  const base = { name, number, repeated: label === 'repeated' }
  if (typeof holds === 'string') return { ...base, kind: holds }
  return 'names' in holds ? { ...base, kind: 'name', names: holds } : { ...base, kind: 'part', table: holds }
}

/** A value of a message type. Absent fields are not members; undefined ones count as absent. */
export type ValuesOf<Table extends FieldTable> = Values<Table['declared']>

/** A name of an enumeration. */
export type NameOf<Enumeration extends Names> = Enumeration extends Names<infer Name> ? Name : never

type Values<Declared> = Flat<
  { readonly [Name in RequiredIn<Declared>]: Value<Declared[Name]> } & {
    readonly [Name in Exclude<keyof Declared, RequiredIn<Declared>>]?: Value<Declared[Name]> | undefined
  }
>

type RequiredIn<Declared> = {
  [Name in keyof Declared]: Declared[Name] extends readonly [number, unknown, 'required'] ? Name : never
}[keyof Declared]

type Value<Declared> = Declared extends readonly [number, infer Holds, 'repeated']
  ? readonly Held<Holds>[]
  : Declared extends readonly [number, infer Holds, ...unknown[]]
    ? Held<Holds>
    : never

type Held<Holds> = Holds extends 'string'
  ? string
  : Holds extends 'bytes'
    ? Buffer
    : Holds extends 'bool'
      ? boolean
      : Holds extends 'int32' | 'int64'
        ? number
        : Holds extends Names<infer Name>
          ? Name
          : Holds extends FieldTable<infer Declared>
            ? Values<Declared>
            : never

type Flat<Type> = { [Key in keyof Type]: Type[Key] }

/** A value of any message type, for code that handles all of them. */
export type Members = Readonly<Record<string, unknown>>

/** Checks that all required fields are present. @throws Error when one is absent */
export function checkRequired(table: FieldTable, message: Members): void {
  for (const name of table.required) {
    if (message[name] === undefined) throw new Error(`the field ${name} is missing`)
  }
}

/** Returns a field by its name. @throws Error when the table has no such field */
export function fieldNamed(table: FieldTable, name: string): Field {
  const field = table.byName.get(name)
  if (!field) throw new Error(`unknown field ${name}`)
  return field
}

/** Returns the error for a value that a field cannot hold. The text names the field only, because values may be secrets. */
export function misfit({ name, kind }: Field): Error {
  return new Error(`the value of the field ${name} must be a ${kind}`)
}
