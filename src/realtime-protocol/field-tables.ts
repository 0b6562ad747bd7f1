/** What a field holds besides names and parts of its own; 64-bit numbers are JavaScript numbers, exact to 2^53. */
type Scalar = 'string' | 'bytes' | 'bool' | 'int32' | 'int64'

/** A field as it is declared: its number on the wire, what it holds, and how often; without a label it is optional. */
type Declaration = readonly [number: number, holds: Scalar | Names | FieldTable, label?: 'required' | 'repeated']

type Declarations = Readonly<Record<string, Declaration>>

/** The names that stand for the numbers of an enumeration. */
export interface Names<Name extends string = string> {
  readonly numbers: ReadonlyMap<string, number>
  readonly names: ReadonlyMap<number, Name>
}

interface FieldBase {
  readonly name: string
  readonly number: number
  readonly repeated: boolean
}

/** What is read and written: a scalar, a name of an enumeration, or a part that is a message itself. */
export type Field =
  | (FieldBase & { readonly kind: Scalar })
  | (FieldBase & { readonly kind: 'name'; readonly names: Names })
  | (FieldBase & { readonly kind: 'part'; readonly table: FieldTable })

/** What one message of the protocol consists of. */
export interface FieldTable<Declared extends Declarations = Declarations> {
  /** Only for the types: what was declared. */
  readonly declared: Declared
  readonly byName: ReadonlyMap<string, Field>
  readonly byNumber: ReadonlyMap<number, Field>
  readonly required: readonly string[]
}

/** Declares an enumeration: each name with its number. */
export function names<const Numbers extends Readonly<Record<string, number>>>(
  numbers: Numbers,
): Names<keyof Numbers & string> {
  const entries = Object.entries(numbers)
  return {
    numbers: new Map(entries),
    names: new Map(entries.map(([name, number]) => [number, name])),
  }
}

/** Declares a message: each field's name with its number, what it holds, and its label. */
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

/** A value of the message that a table declares. A field that is absent is no member; one that is undefined counts as absent. */
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

/** Any value of any table, as code sees it that does not know which one it works on. */
export type Members = Readonly<Record<string, unknown>>

/** @throws Error when a required field is absent */
export function checkRequired(table: FieldTable, message: Members): void {
  for (const name of table.required) {
    if (message[name] === undefined) throw new Error(`the field ${name} is missing`)
  }
}

/** @throws Error when the table has no such field */
export function fieldNamed(table: FieldTable, name: string): Field {
  const field = table.byName.get(name)
  if (!field) throw new Error(`there is no field ${name}`)
  return field
}

/** A value that a field cannot hold; the text tells the field only, for values may be secrets. */
export function misfit({ name, kind }: Field): Error {
  return new Error(`the value of the field ${name} is no ${kind}`)
}
