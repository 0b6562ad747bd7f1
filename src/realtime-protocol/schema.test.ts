import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import type { Field, FieldTable } from './field-tables.ts'
import { GenericCommand } from './schema.ts'

/** The schema inside the official SDK. */
interface Reflection {
  readonly className: string
  readonly name: string
  readonly children: readonly Reflection[]
}

interface ReflectedField extends Reflection {
  readonly id: number
  readonly type: { readonly name: string }
  readonly required: boolean
  readonly repeated: boolean
  readonly resolvedType: Reflection | null
}

const sdk: { readonly Protocals: { readonly GenericCommand: { readonly $type: Reflection } } } = createRequire(
  import.meta.url,
)('leancloud-realtime')

type Shapes = Map<string, object>

/** Lists every field of a table and of its nested tables, by path. */
function shapesOf(table: FieldTable, path: string, shapes: Shapes = new Map()): Shapes {
  for (const field of table.byName.values()) {
    const name = `${path}.${field.name}`
    shapes.set(name, shapeOf(field, table.required.includes(field.name)))
    if (field.kind === 'part') shapesOf(field.table, name, shapes)
  }
  return shapes
}

function shapeOf(field: Field, required: boolean): object {
  const { number, kind, repeated } = field
  const values = field.kind === 'name' ? Object.fromEntries(field.names.numbers) : null
  return { number, kind, repeated, required, values }
}

function shapesOfTheirs(message: Reflection, path: string, shapes: Shapes = new Map()): Shapes {
  for (const child of message.children) {
    if (child.className !== 'Message.Field') continue
    const field = child as ReflectedField
    const name = `${path}.${field.name}`
    shapes.set(name, shapeOfTheirs(field))
    if (field.type.name === 'message') shapesOfTheirs(field.resolvedType!, name, shapes)
  }
  return shapes
}

const KINDS: Readonly<Record<string, string>> = { enum: 'name', message: 'part' }

function shapeOfTheirs({ id, name, type, repeated, required, resolvedType }: ReflectedField): object {
  const values = resolvedType?.children.map((value) => [value.name.toLowerCase(), (value as ReflectedField).id])
  return {
    number: id,
    kind: KINDS[type.name] ?? type.name,
    repeated,
    // Their schema allows a command without a name; neither side ever sends one.
    required: required || name === 'cmd',
    values: type.name === 'enum' ? Object.fromEntries(values!) : null,
  }
}

const ours = shapesOf(GenericCommand, 'command')
const theirs = shapesOfTheirs(sdk.Protocals.GenericCommand.$type, 'command')

it('includes every field of the official SDK unchanged', () => {
  expect(theirs.size).toBeGreaterThan(200)
  for (const [path, shape] of theirs) expect(ours.get(path), path).toEqual(shape)
})

it('has only fields of other clients besides these', () => {
  const added = [...ours.keys()].filter((path) => !theirs.has(path) && !/(loginMessage|systemInfo)\./.test(path))
  expect(added).toEqual([
    'command.loginMessage',
    'command.sessionMessage.systemInfo',
    'command.convMessage.existing',
    'command.loggedinMessage',
    'command.loggedinMessage.pushDisabled',
  ])
})

it('has no part with a field named like one of the envelope, which flat JSON could not distinguish', () => {
  for (const part of GenericCommand.byName.values()) {
    if (part.kind !== 'part') continue
    for (const name of part.table.byName.keys()) expect(GenericCommand.byName.has(name), name).toBe(false)
  }
})
