import { expect, inject, test } from 'vitest'
import { runProgram } from '../support/program.ts'
import { makeImportTarget } from './imports.ts'
import { zipOf } from './zip.ts'

const target = await makeImportTarget()
const { app } = target

/** 张三 and 李四 in GBK. */
const [ZHANG, LI] = [Buffer.from('d5c5c8fd', 'hex'), Buffer.from('c0eecbc4', 'hex')]

const names = async (className: string) =>
  (await app.request('GET', `/1.1/classes/${className}`, { query: { order: 'objectId' } })).body.results.map(
    ({ name }: { name: string }) => name,
  )

test('reads and verifies texts in GBK and UTF-16', async () => {
  const csv = Buffer.concat([Buffer.from('string,string\r\nobjectId,name\r\na,'), ZHANG, Buffer.from('\r\nb,'), LI])
  await target.file('texts/Person.csv', csv)
  const lines = '#filetype:JSON-streaming {"type":"Class","class":"Wide"}\n{"objectId":"a","name":"张三"}\n'
  await target.file('texts/Wide.0.jsonl', Buffer.from(`\ufeff${lines}`, 'utf16le'))
  const list = Buffer.concat([Buffer.from('[{"objectId":"a","name":"'), ZHANG, Buffer.from('"}]')])
  await target.file('texts/List.json', list)
  const folder = `${target.folder}/texts`
  expect((await target.run(folder)).code).toBe(0)
  expect(await names('Person')).toEqual(['张三', '李四'])
  expect([await names('Wide'), await names('List')]).toEqual([['张三'], ['张三']])
  const { remarks } = await target.report()
  expect(remarks).toContain(
    'texts/Person.csv is not UTF-8 and was read as gb18030. Set another encoding with --encoding.',
  )
  const verified = await runProgram(['verify', '--app', app.appId, '--url', app.url, folder], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
  expect(verified.code).toBe(0)
})

test('--encoding selects the encoding, and an unknown one is rejected', async () => {
  // These two bytes are also valid UTF-8.
  const csv = Buffer.concat([
    Buffer.from('string\nname\n'),
    Buffer.from('c1aacda8', 'hex'),
    Buffer.from('\n\xff\n', 'latin1'),
  ])
  const path = await target.file('Told.csv', csv)
  expect((await target.run('--encoding', 'gbk', path)).code).toBe(3)
  expect(await names('Told')).toEqual(['联通'])
  expect((await target.rejected()).map(({ reason }) => reason)).toEqual([expect.stringMatching(/encoding|UTF-8/)])
  const wrong = await target.run('--encoding', 'big5', path)
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('must be utf-8, gbk')])
})

test('reports a spreadsheet once, with the solution', async () => {
  const book = zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': '<workbook/>',
    'xl/worksheets/sheet1.xml': '<x/>',
  })
  const path = await target.file('Book.xlsx', book)
  expect((await target.run(path)).code).toBe(3)
  expect((await target.report()).notUnderstood).toEqual([
    expect.stringMatching(/^Book\.xlsx: spreadsheets cannot be read: .*save the file as CSV/),
  ])
})
