import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/** A node of a syntax tree, with the members that the functions here read. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** A source file of the server. */
export interface Source {
  /** Path below `src/`. */
  readonly file: string
  readonly text: string
  readonly tree: Node
}

const root = new URL('../../src/', import.meta.url)

/** Returns the parsed source files of the server, without tests. */
export function sources(): Source[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(new URL(file, root), 'utf8').replaceAll('\r\n', '\n')
      return { file, text, tree: parseAst(text, { lang: 'ts' }) as unknown as Node }
    })
}

/** Calls `visit` for each node of a tree, parents first. */
export function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit)
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node && typeof node.type === 'string') visit(node as Node)
    for (const member of Object.values(node)) if (typeof member === 'object') walk(member, visit)
  }
}

/** Returns the name by which a call names its function: `error` of `this.#log.error(…)`, `#warn` of `this.#warn(…)`. */
export function calledName(call: Node): string {
  const callee = call.callee as Node
  if (callee.type === 'Identifier') return callee.name as string
  if (callee.type !== 'MemberExpression') return ''
  const property = callee.property as Node
  return `${property.type === 'PrivateIdentifier' ? '#' : ''}${property.name as string}`
}

/** Returns the source text of the object whose method is called: `this.#log` of `this.#log.error(…)`; '' for functions. */
export function calledObject({ text }: Source, call: Node): string {
  const callee = call.callee as Node
  if (callee.type !== 'MemberExpression') return ''
  const object = callee.object as Node
  return text.slice(object.start, object.end)
}

/**
 * Returns the texts that an expression can have, with `{name}` for what is inserted; [] where they are made elsewhere.
 * Follows conditions, concatenations, and constants of the same file.
 */
export function textsOf(source: Source, node: Node | undefined): string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return [templateText(source, node)]
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap((branch) => textsOf(source, branch as Node))
    case 'LogicalExpression':
      return [node.left, node.right].flatMap((operand) => textsOf(source, operand as Node))
    case 'ParenthesizedExpression':
      return textsOf(source, node.expression as Node)
    case 'BinaryExpression': {
      const [left, right] = [node.left, node.right].map((operand) => textsOf(source, operand as Node))
      return left!.flatMap((start) => right!.map((end) => start + end))
    }
    case 'Identifier':
      return constantsOf(source).get(node.name as string) ?? []
    default:
      return []
  }
}

const constants = new WeakMap<Source, Map<string, string[]>>()

/** The texts of constants of a file, by their names. */
function constantsOf(source: Source): Map<string, string[]> {
  let known = constants.get(source)
  if (!known) {
    known = new Map()
    constants.set(source, known)
    for (const statement of source.tree.body as Node[]) {
      const declaration = (
        statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      ) as Node | null
      if (declaration?.type !== 'VariableDeclaration') continue
      for (const { id, init } of declaration.declarations as { id: Node; init: Node | null }[])
        if (id.type === 'Identifier' && init?.type !== 'Identifier')
          known.set(id.name as string, textsOf(source, init ?? undefined))
    }
  }
  return known
}

/** A template with the name of each value in braces: `{limit}`. */
function templateText(source: Source, node: Node): string {
  const quasis = node.quasis as { value: { cooked: string } }[]
  const expressions = node.expressions as Node[]
  return quasis
    .map(({ value }, n) => value.cooked + (expressions[n] ? `{${shortName(source, expressions[n])}}` : ''))
    .join('')
}

/** A short name for an inserted value, from its expression. */
function shortName(source: Source, node: Node): string {
  const known = textsOf(source, node)
  if (known.length > 0) return known.join('|').slice(0, 60)
  if (node.type === 'CallExpression') {
    const [first] = node.arguments as Node[]
    const object = (node.callee as Node).object as Node | undefined
    const inner =
      object && object.type !== 'Super' && /^(slice|join|toString|map|toFixed)$/.test(calledName(node)) ? object : first
    return inner ? shortName(source, inner) : calledName(node)
  }
  if (node.type === 'MemberExpression') return shortName(source, node.property as Node)
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') return shortName(source, node.left as Node)
  if (node.type === 'ConditionalExpression') return shortName(source, node.test as Node)
  if (node.type === 'TSNonNullExpression' || node.type === 'TSAsExpression')
    return shortName(source, node.expression as Node)
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
    return (node.name as string)
      .replaceAll('_', ' ')
      .replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
      .toLowerCase()
  return '…'
}
