import { expect, test } from 'vitest'
import { textNotice } from '../../notices/notice.ts'
import { ByteReader } from '../sources/byte-reader.ts'
import type { RecordForm } from './form.ts'
import type { ImportRecord } from './record.ts'
import { recordsOf } from './records.ts'
import { REJECTED_COMMENT, rejectedLine } from './rejected.ts'

async function recordsIn(form: RecordForm, content: string): Promise<ImportRecord[]> {
  const records: ImportRecord[] = []
  for await (const record of recordsOf(form, new ByteReader(only(Buffer.from(content))))) records.push(record)
  return records
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Returns the file of rejected records as the report writes it. */
function rejectedFile(records: readonly ImportRecord[], field: string | null): string {
  const lines = records.map(({ at, text, reason = textNotice('') }) =>
    rejectedLine({ className: 'Post', field, place: `Post.csv:${at}`, reason, text }),
  )
  return REJECTED_COMMENT + lines.join('')
}

const TYPES = 'string,int,date,pointer:_User,array'
const NAMES = 'title,"n, of all",when,owner,tags'

test.each([
  ['a number', 'a,x,,,', ',x,', ',1,', { title: 'a', 'n, of all': 1 }],
  [
    'a date',
    'a,,soon,,',
    ',soon,',
    ',2020-01-02,',
    { title: 'a', when: { __type: 'Date', iso: '2020-01-02T00:00:00.000Z' } },
  ],
  ['a list', 'a,,,,"[1,""x"""', '\\"\\"x\\"\\"', '\\"\\"x\\"\\"]', { title: 'a', tags: [1, 'x'] }],
  [
    'a row that is too short',
    'a,1',
    'a,1"',
    'a,1,,u1,"',
    { title: 'a', 'n, of all': 1, owner: { __type: 'Pointer', className: '_User', objectId: 'u1' } },
  ],
  ['a row with line breaks', '"a\nb",x,,,', ',x,', ',2,', { title: 'a\nb', 'n, of all': 2 }],
])('reads a corrected row of CSV with a fault in %s as in its file', async (_, row, fault, right, object) => {
  const [rejected] = await recordsIn({ form: 'csv', of: { className: 'Post' } }, `${TYPES}\n${NAMES}\n${row}\n`)
  expect(rejected!.reason).toEqual(expect.objectContaining({ code: expect.any(String) }))
  const file = rejectedFile([rejected!], null)
  // Without a correction it is rejected for the same reason, and can be corrected again.
  const [same] = await recordsIn({ form: 'rejected' }, file)
  expect(same).toMatchObject({
    text: rejected!.text,
    reason: rejected!.reason,
    of: { className: 'Post', field: null },
  })
  expect(file).toContain(fault)
  const [corrected] = await recordsIn({ form: 'rejected' }, file.replace(fault, right))
  expect([corrected!.reason, JSON.parse(corrected!.text)]).toEqual([undefined, object])
})

test('reads a corrected row of members that had too many columns', async () => {
  const of = { className: 'Post', field: 'likes', targetClass: null }
  const [rejected] = await recordsIn({ form: 'member csv', of }, 'a,b,c\n')
  const file = rejectedFile([rejected!], 'likes').replace('a,b,c', 'a,b')
  expect(await recordsIn({ form: 'rejected' }, file)).toEqual([
    { at: 2, text: '{"owningId":"a","relatedId":"b"}', of: { className: 'Post', field: 'likes' } },
  ])
})

test.each(['{"n":1}', '{"n":', '[1]', 'a,b', 'string\nname\nvalue\nmore', 'no,types\na,b\nc,d'])(
  'keeps a text that is not a row of CSV: %j',
  async (text) => {
    const file = REJECTED_COMMENT + JSON.stringify({ className: 'Post', place: '', reason: '', text })
    expect(await recordsIn({ form: 'rejected' }, file)).toEqual([
      { at: 2, text, of: { className: 'Post', field: null } },
    ])
  },
)

test('prefers an object to the text next to it', async () => {
  const line = { className: 'Post', place: '', reason: '', text: 'int\nn\nx', object: { n: 1 } }
  expect(await recordsIn({ form: 'rejected' }, REJECTED_COMMENT + JSON.stringify(line))).toMatchObject([
    { text: '{"n":1}' },
  ])
})
