import { expect, it } from 'vitest'
import { type ApiError, errors } from '../../src/errors.ts'
import { messagingErrors } from '../../src/messaging/messaging-errors.ts'
import { ENGLISH } from '../../src/notices/english.ts'
import { calledName, calledObject, type Node, type Source, sources, textsOf, walk } from './product-texts.ts'

interface Listed {
  readonly status: number
  readonly code: number
  /** With `{name}` for what is inserted. */
  readonly text: string
}

/** A text that stands for the detail of an error, replaced by the details of its calls. */
const DETAIL = '{detail}'
const FACTORIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { errors, messagingErrors }
const COMMAND_ERRORS =
  /^(?:ConfigError|InvalidArgumentError|NoticedError|SourceFault|SourceRefusal|Unavailable|Undownloadable|PostgresStartError)$/

const api: Listed[] = []
const commands: string[] = []
/** Calls whose texts are made elsewhere: the variable that a helper function returned, or the text of another error. */
let elsewhere = 0
for (const [name, factories] of Object.entries(FACTORIES))
  for (const factory of Object.keys(factories)) if (!takesDetail(factories[factory])) api.push(made(name, factory))
for (const source of sources())
  walk(source.tree, (node) => {
    if (node.type === 'CallExpression') collectCall(source, node)
    if (node.type === 'NewExpression') collectNew(source, node)
  })

/** Lists the error that a call such as `errors.badArgument('…')` makes. */
function collectCall(source: Source, call: Node): void {
  const [object, name] = [calledObject(source, call), calledName(call)]
  const factory = FACTORIES[object]?.[name]
  if (!takesDetail(factory)) return
  const arguments_ = call.arguments as Node[]
  const details = textsWithNotices(source, arguments_[0])
  if (details.length === 0 && arguments_.length > 0) elsewhere++
  const { status, code, text } = made(object, name)
  for (const detail of details) api.push({ status, code, text: text.replace(DETAIL, detail) })
  if (arguments_.length === 0) api.push(made(object, name, []))
}

/** Lists the error that `new ApiError(400, 1, '…')` makes, and those of commands. */
function collectNew(source: Source, node: Node): void {
  const name = (node.callee as Node).name as string
  const arguments_ = node.arguments as Node[]
  if (name === 'ApiError' && source.file !== 'errors.ts') {
    const [status, code] = arguments_.map(({ value }) => value)
    if (typeof status !== 'number' || typeof code !== 'number') return
    for (const text of textsWithNotices(source, arguments_[2])) api.push({ status, code, text })
  }
  if (!COMMAND_ERRORS.test(name)) return
  const lists = arguments_.flatMap((argument) =>
    argument.type === 'ArrayExpression' ? (argument.elements as Node[]) : [argument],
  )
  commands.push(...lists.flatMap((argument) => textsWithNotices(source, argument)))
}

/** Like `textsOf`, with the English text of a notice where the expression is one. */
function textsWithNotices(source: Source, node: Node | undefined): string[] {
  if (node?.type !== 'CallExpression' || calledName(node) !== 'notice') return textsOf(source, node)
  const [code] = node.arguments as Node[]
  const text = (ENGLISH as Readonly<Record<string, string>>)[code?.value as string]
  return text === undefined ? [] : [plainNotice(text)]
}

/** The text of a notice with `{name}` for its values: plural forms as `member/members`. */
function plainNotice(text: string): string {
  return text.replaceAll(/\{\{\w+:([^}|]*)\|([^}]*)\}\}/g, '$1/$2').replaceAll(/\{\{(\w+)\}\}/g, '{$1}')
}

function parametersOf(factory: unknown): string[] {
  const [, list = ''] = /^\(([^)]*)\)/.exec(String(factory)) ?? []
  return list.split(',').flatMap((parameter) => /^\s*(?:\.\.\.)?(\w+)/.exec(parameter)?.[1] ?? [])
}

function takesDetail(factory: unknown): boolean {
  return typeof factory === 'function' && parametersOf(factory)[0] === 'detail'
}

/** Makes an error with the names of its parameters in braces. */
function made(object: string, name: string, values?: readonly string[]): Listed {
  const factory = FACTORIES[object]![name] as (...values: readonly unknown[]) => ApiError
  const names = values ?? parametersOf(factory).map((parameter) => `{${parameter}}`)
  const error =
    name === 'tooManyRequests'
      ? factory(names[0])
      : factory(...names.map((value) => (value === '{app}' ? { code: 1, message: value } : value)))
  return { status: error.status, code: error.code, text: error.message }
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function apiTable(listed: readonly Listed[]): string {
  const lines = listed.map(({ status, code, text }) => `| ${code} | ${status} | ${cell(text)} |`)
  const sorted = [...new Set(lines)].toSorted(
    (a, b) => Number(a.split('|')[1]) - Number(b.split('|')[1]) || (a < b ? -1 : 1),
  )
  return `| Code | HTTP status | Text |\n|--:|--:|---|\n${sorted.join('\n')}`
}

const list = (texts: readonly string[]) =>
  [...new Set(texts)]
    .toSorted()
    .map((text) => `- ${cell(text)}`)
    .join('\n')

it('finds the texts of nearly all errors', () => {
  expect(api.length).toBeGreaterThan(600)
  expect(elsewhere / api.length).toBeLessThan(0.25)
})

it('lists all error texts on the page of errors', async () => {
  const page = `# Errors

Search this page for the text of an error. \`{name}\` stands for a value of the case. Errors of the API are JSON with \`code\` and \`error\`
([conventions](protocol/conventions.md)); where LeanCloud has a fixed text for a code, the text begins with it, because clients
compare it. A test generates this page from the source (\`npx vitest run test/docs/errors.test.ts -u\`).

## API

${apiTable(api.filter(({ code }) => code < 4000))}

## Instant messaging

Over WebSocket in \`reason\` and \`detail\`, over HTTP as above.

${apiTable(api.filter(({ code }) => code >= 4000))}

## Commands

What \`homeport\` prints before it exits with a code other than 0.

${list(commands)}

## Reports of imports, pulls and checks

${list(Object.values(ENGLISH).map(plainNotice))}
`
  await expect(page).toMatchFileSnapshot('../../docs/errors.md')
})
