import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { inChinese, SENTENCES } from '../../console/src/areas/moving-in/sentences/chinese.ts'
import { errors } from '../../src/errors.ts'

/** Where that is made which a report of a move holds: the commands, the import, and what checks the values of records. */
const SOURCES = [
  'src/import',
  'src/cli/import',
  'src/cli/pull',
  'src/cli/verify',
  'src/cli/hosted-schema.ts',
  'src/cli/index-counterpart.ts',
  'src/cli/import.ts',
  'src/http-client',
  'src/values/json.ts',
  'src/values/names.ts',
  'src/values/typed.ts',
  'src/objects/access/acl.ts',
  'src/objects/classes/field-options.ts',
  'src/accounts/auth-data.ts',
  'src/accounts/password-forms.ts',
  'src/database/faults.ts',
  'src/leaderboards/board-elsewhere.ts',
  'src/leaderboards/bring-board.ts',
  'src/leaderboards/bring-statistics.ts',
  'src/leaderboards/restore-board.ts',
  'src/social/statuses/restore-inbox.ts',
]

/** Files whose texts are for terminals alone, or of what the page has no button for. */
const FOR_TERMINALS = [
  'src/cli/import/download-progress.ts',
  'src/cli/import/progress.ts',
  'src/cli/pull/pull-progress.ts',
  'src/cli/verify/logins.ts',
  'src/cli/verify/report.ts',
]

/** Texts that no report shows. */
const NOT_SHOWN = new Set([
  // Names of forms, parts and verdicts: the page knows them by themselves (part-name.ts, compared-view.tsx).
  ...['member csv', 'member bson', 'member lines', 'messaging array', 'messaging lines'],
  ...['member array', 'member sequence', 'member typed csv', 'member {}', 'messaging sequence', 'messaging {}'],
  ...['board lines', 'inbox lines', 'statistic lines', '#filetype:JSON-streaming {"type":"Rejected"}\n'],
  ...['bytes of files', 'leaderboard {}', 'logins of users', 'subscribers and lists of conversations', 'URLs in texts'],
  ...['made anew', 'only here', 'changed here since', 'changed there since', 'made here since', 'made there since'],
  'no longer there',
  // The name of an index.
  'unique ',
  // SQL.
  ...[' AND ', 'SAVEPOINT rows_of_import', 'RELEASE SAVEPOINT rows_of_import', 'ROLLBACK TO SAVEPOINT rows_of_import'],
  // What the commands never send, and flags that the page does not use.
  "'after' must be a key of the page before.",
  "'after' must be what the page before has told.",
  "'of' must be records.",
  "A batch of ids names its 'source'.",
  ...['not a batch of relation members', 'not a batch of statistics', 'objects have a writer of their own'],
  ...['--class and --relation are for a single file', "--class: '{}' is no name of a class"],
  '--relation: must be <Class>.<field>, or <Class>.<field>:<Target>',
  "change URLs of files in texts: 'all', or fields such as Post.cover,Post.body,messages",
  "must be 'all', or fields such as Post.cover,Post.body,messages",
  'must be a host such as files.example.com',
  'where files were, beside what their records say; several times for several',
  // Of flags, and lists of names.
  'refuse records with invalid values, such as a GeoPoint without coordinates, instead of storing null',
  'of the texts, such as gbk or utf-16, where it is detected wrongly',
  'must be utf-8, gbk, gb18030, utf-16le or utf-16be',
  ' and {} more',
  // The report as text, in place of which the page shows a table or a sentence of its own.
  ...['  {} of {} ({}{})', '  {}: {} in {} texts', ', {} kept, which were changed here later', 'here already'],
  ...['not taken', 'nowhere; say --old-domain', 'objects here now', 'objects there', 'of unknown size', 'pulled at {}'],
  ...['would be new', 'would be read', 'about {} MB', 'the export', 'There were no records.', 'Nothing was changed.'],
  ...['What could not be brought:', 'What is not as it was, or should be known:', 'What was deleted at the source:'],
  ...[
    'New classes that are named after a file:',
    'What was not applied of the schema:',
    'What was read:',
    'What was not understood:',
    'URLs of files in texts, from {}, now below {}:',
  ],
  'About {} requests for objects and relations: at least {} at {} a second.',
  'Files: about {} whose bytes would be fetched, {}; {} lie elsewhere.',
  'Messages: the source does not give them.',
  'Messages: the source gives them; how many there are it does not say.',
  'Passwords: the source would be asked for an export of its users.',
  '{} records were not taken. They are in rejected.jsonl with the reasons; correct them and import that file.',
  '{}.{}: members of {}; a request for each of {} objects',
])

/** What is handed to these is printed or logged, or describes an option of a command. */
const PRINTING = new Set([
  ...['write', 'say', 'warn'],
  ...['option', 'description', 'argument', 'addOption', 'Option', 'section'],
])

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

function* filesIn(path: string): Generator<string> {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) yield* filesIn(join(path, name))
  else if (path.endsWith('.ts') && !path.endsWith('.test.ts')) yield path
}

/** A text as it stands in the source, with `{}` for each value; null for what is none. */
function formOf(node: Node): string | null {
  switch (node.type) {
    case 'StringLiteral':
      return String(node.value)
    case 'TemplateLiteral':
      return (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('{}')
    case 'ParenthesisExpression':
      return formOf(node.expression as Node)
    case 'BinaryExpression': {
      const [left, right] = [formOf(node.left as Node), formOf(node.right as Node)]
      return node.operator !== '+' || (left === null && right === null) ? null : `${left ?? '{}'}${right ?? '{}'}`
    }
    default:
      return null
  }
}

/** All texts below a node, without those of imports, types, SQL and what is printed. */
function* textsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* textsIn(one)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const node = value as Node
  if (/^(ImportDeclaration|Ts(TypeAnnotation|TypeAliasDeclaration|LiteralType))$/.test(node.type)) return
  if (node.type === 'TaggedTemplateExpression' || PRINTING.has(called(node))) return
  const form = formOf(node)
  if (form === null) for (const member of Object.values(node)) yield* textsIn(member)
  else {
    yield form
    yield* textsIn(valuesIn(node))
  }
}

/** What stands in a text for its values. */
function valuesIn(node: Node): unknown[] {
  if (node.type === 'TemplateLiteral') return node.expressions as unknown[]
  if (node.type === 'ParenthesisExpression') return valuesIn(node.expression as Node)
  if (node.type !== 'BinaryExpression') return []
  return [node.left as Node, node.right as Node].flatMap((side) => (formOf(side) === null ? [side] : valuesIn(side)))
}

/** The name of the function that a call calls, or of the class that is made. */
function called({ type, callee }: Node): string {
  if (type !== 'CallExpression' && type !== 'NewExpression') return ''
  const { type: kind, property, value } = callee as Node
  return String(kind === 'MemberExpression' ? (property as Node).value : value)
}

const files = SOURCES.flatMap((path) => [...filesIn(path)]).filter((file) => !FOR_TERMINALS.includes(file))
const isSentence = (text: string) => /[a-z]+ |\b [a-z]/i.test(text)

describe('what commands say in reports of moves', () => {
  it.each(files)('has Chinese for each sentence of %s', (file) => {
    const { body } = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' })
    const said = [...textsIn(body)].filter((text) => isSentence(text) && !NOT_SHOWN.has(text))
    expect(said.filter((text) => !Object.hasOwn(SENTENCES, text))).toEqual([])
  })

  it('has Chinese for the texts of the codes that these use', () => {
    const used = new Set(
      files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\berrors\.(\w+)\(/g)]).map(([, name]) => name!),
    )
    for (const name of ['usernameTaken', 'emailTaken', 'phoneNumberTaken']) used.add(name)
    const texts = [...used].map(
      (name) => (errors as unknown as Record<string, (...details: string[]) => Error>)[name]!('{}', '{}').message,
    )
    expect(texts.filter((text) => text !== '{}' && !Object.hasOwn(SENTENCES, text))).toEqual([])
  })

  it('has no Chinese for what nobody says any more', () => {
    const sources = [...filesIn('src')].map((file) => [
      ...textsIn(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' }).body),
    ])
    const said = new Set([
      ...sources.flat(),
      ...Object.values(errors).map((make) => (make as (...details: string[]) => Error)('{}', '{}').message),
    ])
    expect(Object.keys(SENTENCES).filter((english) => !said.has(english))).toEqual([])
  })

  it.each(Object.entries(SENTENCES))('%s has the same values in Chinese, once each', (english, chinese) => {
    const values = [...chinese.matchAll(/\{(\d+)\}/g)].map(([, number]) => Number(number)).sort((a, b) => a - b)
    expect(values).toEqual(
      english
        .split('{}')
        .slice(1)
        .map((_, index) => index + 1),
    )
    expect(chinese).toMatch(/\p{Script=Han}/u)
  })

  it.each([
    ['a class that is missing', 'there is no class Post here', '这里没有 Class Post'],
    [
      'a sentence within another one, and what is unknown in it as English',
      'the messages: the source answers 403 to GET /1.2/rtm/messages: Nothing for you',
      '聊天消息：来源返回 403（GET </1.2/rtm/messages: Nothing for you>）',
    ],
    [
      'a sentence behind the names of files',
      'export.tar: Post.jsonl:3: The line is no JSON.',
      'export.tar: Post.jsonl:3：该行不是 JSON。',
    ],
    [
      'a code with its detail',
      "Field set to incorrect type. The number of 'age' is out of range.",
      '字段类型不正确：「age」的数字超出范围。',
    ],
    [
      'values in another order',
      '2 of Post have no objectId, so they were only counted',
      'Post 中有 2 个没有 objectId，只统计了数量',
    ],
    [
      'what was read of an archive',
      'a.zip: of 5 files in the archive, 2 had records, 1 could not be read whole (b.gz), ' +
        '1 had nothing to import (desktop.ini), 1 had schemas; 3 records, 3 lines, 2 headers and 90 bytes were read',
      'a.zip：压缩包中共 5 个文件，2 个有数据，1 个未能完整读取（b.gz），1 个没有可导入的内容（desktop.ini），1 个是 schema；' +
        '共读取 3 条数据、3 行、2 个文件头行、90 字节',
    ],
    [
      'an index that has no use',
      "Post: index unique a: the class has no column 'a'",
      'Post：索引 <unique a>：这里的 Class 没有字段「a」',
    ],
    ['a value with signs of patterns', 'there is no class (a|b)* here', '这里没有 Class (a|b)*'],
  ])('says %s', (_, english, chinese) => {
    const phrase = inChinese(english, (name) => name)
    expect(phrase?.map(({ text, isEnglish }) => (isEnglish ? `<${text}>` : text)).join('')).toBe(chinese)
  })

  it('comes to an end with a text that could be taken apart in very many ways', () => {
    for (const hostile of ['a: '.repeat(300), '. is here, not '.repeat(60), "the source '' must be , not ".repeat(40)])
      expect(inChinese(`${hostile}!`, (name) => name)?.length ?? 0).toBeLessThan(1000)
  })

  it('leaves alone what it does not know', () => {
    expect(inChinese('the cat sits on a mat: still', (name) => name)).toBeNull()
  })
})
