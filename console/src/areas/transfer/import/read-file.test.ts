import { describe, expect, it } from 'vitest'
import { IsSpreadsheet } from './file-text.ts'
import { recordsOf, understand } from './read-file.ts'

const DESCRIPTION = { className: 'Person', fields: {} } as never
/** 姓名 as a column name would be excluded: column names are ASCII letters. 张三 and 李四 in GBK. */
const [ZHANG, LI] = [Buffer.from('d5c5c8fd', 'hex'), Buffer.from('c0eecbc4', 'hex')]

async function textsOf(file: File, encoding?: 'gb18030') {
  const understood = await understand(file, DESCRIPTION, encoding)
  const texts: string[] = []
  for await (const { text, reason } of recordsOf(file, understood, 'Person')) texts.push(reason ?? text)
  return { encoding: understood.encoding, texts }
}

const fileOf = (...parts: (string | Buffer)[]) =>
  new File([Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))], 'a')

it.each([
  ['CSV in GBK', fileOf('name\r\n', ZHANG, '\r\n', LI, '\r\n'), 'gb18030', ['{"name":"张三"}', '{"name":"李四"}']],
  ['lines in GBK', fileOf('{"name":"', ZHANG, '"}\n'), 'gb18030', ['{"name":"张三"}']],
  ['a list in GBK', fileOf('[{"name":"', ZHANG, '"}]'), 'gb18030', ['{"name":"张三"}']],
  ['CSV in UTF-16', new File([Buffer.from('\ufeffname\n张三\n', 'utf16le')], 'a'), 'utf-16le', ['{"name":"张三"}']],
  [
    'a list in UTF-16',
    new File([Buffer.from('\ufeff[{"name":"张三"}]', 'utf16le')], 'a'),
    'utf-16le',
    ['{"name":"张三"}'],
  ],
  ['CSV in UTF-8', fileOf('\ufeffname\n张三\n\ufffd\n'), 'utf-8', ['{"name":"张三"}', '{"name":"\ufffd"}']],
])('reads %s', async (_, file, encoding, texts) => {
  expect(await textsOf(file)).toEqual({ encoding, texts })
})

it('rejects records in another encoding, and reads them when it is selected', async () => {
  const file = fileOf('name\n张三\n北京\n', ZHANG, '\n')
  expect((await textsOf(file)).texts).toEqual([
    '{"name":"张三"}',
    '{"name":"北京"}',
    'It holds bytes that are no text of utf-8.',
  ])
  expect((await textsOf(file, 'gb18030')).texts.at(-1)).toBe('{"name":"张三"}')
})

it.each([
  ['a workbook', Buffer.from('PK\u0003\u0004...')],
  ['one of older versions', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
])('reports %s as a spreadsheet', async (_, bytes) => {
  await expect(understand(new File([bytes], 'a.xlsx'), DESCRIPTION)).rejects.toThrow(IsSpreadsheet)
})

describe('lines of an export', () => {
  const header = (className: string) => `#filetype:JSON-streaming {"type":"Class","class":"${className}"}`
  const [person, user] = ['{"name":"a"}', '{"username":"ann","password":"x"}']
  const skips = (content: string, lines: number) =>
    `The header names ${content}, not Person; the ${lines} lines after it were not imported.`

  it.each([
    ['of another class are not imported', [header('_User'), user, user], [skips('_User', 2)]],
    ['after a second header', [header('Person'), person, header('_User'), user], [person, skips('_User', 1)]],
    [
      'after a header without a line break',
      [header('Person'), person + header('_User'), user],
      [person, skips('_User', 1)],
    ],
    [
      'after an indented header',
      [person, `  # FileType : JSON-streaming {"type":"Class","class":"_User"}`, user],
      [person, skips('_User', 1)],
    ],
    ['after an unknown header', [person, '#filetype:other', user], [person, skips('unknown content', 1)]],
    [
      'after a further header of the class',
      [header('Other'), user, header('Person'), person],
      [skips('Other', 1), person],
    ],
    ['after a comment', ['# persons', person], [person]],
    [
      'with a header in a text',
      [JSON.stringify({ name: header('_User') }), person],
      [JSON.stringify({ name: header('_User') }), person],
    ],
    [
      'that an import rejected',
      [
        '#filetype:JSON-streaming {"type":"Rejected"}',
        `{"className":"Person","object":${person}}`,
        `{"className":"_User","object":${user}}`,
        '{"className":"Person","field":"likes","object":{}}',
      ],
      [person, 'The record belongs to _User, not to Person.', 'The record belongs to Person.likes, not to Person.'],
    ],
  ])('%s', async (_what, lines, texts) => {
    for (const mark of ['', '\ufeff']) expect((await textsOf(fileOf(mark + lines.join('\r\n')))).texts).toEqual(texts)
  })
})
