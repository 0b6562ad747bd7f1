import { expect, inject, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const { app } = target
const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
const OID = '5f0000000000000000000001'

async function verify(path: string) {
  return runCommand(['verify', '--app', app.appId, '--url', app.url, path], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
}

test('keeps a record with an invalid value, reports it by class and field, and verifies it; --strict rejects it', async () => {
  const places = [
    { objectId: 'p1', ...times, name: 'kept', place: { __type: 'GeoPoint', latitude: null, longitude: null } },
    { objectId: 'p2', ...times, name: 'a\u0000b', at: { __type: 'Date', iso: '' } },
    { objectId: 'p3', ...times, name: 'good', place: { __type: 'GeoPoint', latitude: 1, longitude: 2 } },
  ]
  const path = await target.file('Place.0.jsonl', exportFile('Place', places))
  expect((await target.run('--dry-run', '--strict', path)).code).toBe(3)
  expect((await target.report()).counts.Place).toMatchObject({ created: 1, rejected: 2 })
  expect((await target.rejected()).map(({ reason }) => reason)).toEqual([
    expect.stringContaining("The GeoPoint of 'place'"),
    expect.stringContaining('field name: string with NUL'),
  ])

  expect((await target.run(path)).code).toBe(0)
  const { counts, notes } = await target.report()
  expect(counts.Place).toMatchObject({ created: 3, rejected: 0 })
  expect(notes).toMatchObject({
    'Place: field place: invalid GeoPoint, stored as null': { count: 1, examples: ['Place.0.jsonl:2'] },
    'Place: field at: invalid Date, stored as null': { count: 1, examples: ['Place.0.jsonl:3'] },
    'Place: field name: string with NUL characters or unpaired surrogates, each replaced by U+FFFD': {
      count: 1,
      examples: ['Place.0.jsonl:3'],
    },
  })
  expect(Object.keys(notes)).toHaveLength(3)
  const { body } = await app.request('GET', '/1.1/classes/Place', { query: { order: 'objectId' } })
  expect(body.results).toMatchObject([{ name: 'kept', place: null }, { name: 'a\ufffdb', at: null }, { name: 'good' }])
  expect(await verify(path)).toMatchObject({ code: 0, stdout: expect.stringContaining('Safe to switch') })
})

test('ISO dates become Dates when the column or another record has Dates, in any order', async () => {
  const when = '2020-01-02T03:04:05.006Z'
  const date = { __type: 'Date', iso: when }
  await app.request('POST', '/1.1/classes/Declared', { body: { when: date } })
  const mixed = [
    { objectId: 'a', when },
    { objectId: 'b', when: date },
    { objectId: 'c', when: '2020-01-02' },
  ]
  const path = await target.file('dates/Fresh.0.jsonl', exportFile('Fresh', mixed))
  await target.file('dates/Declared.0.jsonl', exportFile('Declared', [{ objectId: 'a', when }]))
  await target.file('dates/Other.0.jsonl', exportFile('Other', [{ objectId: 'a', when }]))
  expect((await target.run(`${target.folder}/dates`)).code).toBe(0)
  const stored = async (className: string, objectId: string) =>
    (await app.request('GET', `/1.1/classes/${className}/${objectId}`)).body.when
  expect([await stored('Fresh', 'a'), await stored('Fresh', 'b'), await stored('Declared', 'a')]).toEqual([
    date,
    date,
    date,
  ])
  expect(await stored('Fresh', 'c')).toEqual({ __type: 'Date', iso: '2020-01-02T00:00:00.000Z' })
  expect(await stored('Other', 'a')).toBe(when)
  expect(await verify(path)).toMatchObject({ code: 0 })
})

test('a field whose values have several types gets the type of most of them, and the report names the others', async () => {
  const date = { __type: 'Date', iso: '2020-01-02T03:04:05.006Z' }
  const values = {
    n: ['5', 5, 6],
    s: ['a', 'b', 7],
    d: ['soon', date, '2020-01-02'],
    t: ['x', '2020-01-02', date, 'y', 'z'],
  }
  const objects = Object.entries(values).flatMap(([field, all]) =>
    all.map((value, index) => ({ objectId: `${field}${index}`, [field]: value })),
  )
  const path = await target.file('Mixed.0.jsonl', exportFile('Mixed', objects))
  const { code, stdout } = await target.run(path)
  expect(code).toBe(3)
  const { fields } = (await app.admin('GET', '/classes/Mixed')).body
  expect(fields).toMatchObject({
    n: { type: 'Number' },
    s: { type: 'String' },
    d: { type: 'Date' },
    t: { type: 'String' },
  })
  expect((await target.rejected()).map(({ object }) => object.objectId).sort()).toEqual(['d0', 'n0', 's2', 't2'])
  expect(stdout).toContain("\nRejected:\n  1 × Mixed: Invalid value type for field '")
  for (const [field, type] of Object.entries({ n: 'Number', s: 'String', d: 'Date', t: 'String' }))
    expect(stdout).toContain(
      `Mixed.${field} has the type {:type "${type}"}, which most of its first records have; 1 record`,
    )
  const { body } = await app.request('GET', '/1.1/classes/Mixed/t1')
  expect(body.t).toBe('2020-01-02')
})

test('keeps all of several objects whose unique value is an empty text, without it', async () => {
  const empty = { username: '', email: '', mobilePhoneNumber: '' }
  const users = ['e1', 'e2', 'e3'].map((objectId) => ({ objectId, ...empty }))
  const device = { deviceType: 'ios', installationId: '', deviceToken: '' }
  const devices = ['i1', 'i2'].map((objectId) => ({ objectId, ...device }))
  await target.file('empty/_User.0.jsonl', exportFile('_User', users))
  await target.file('empty/_Installation.0.jsonl', exportFile('_Installation', devices))
  const path = `${target.folder}/empty`
  expect((await target.run(path)).code).toBe(0)
  const { counts, notes } = await target.report()
  expect(counts).toMatchObject({ _User: { created: 3, rejected: 0 }, _Installation: { created: 2, rejected: 0 } })
  expect(notes).toMatchObject({
    '_User: empty username, omitted': { count: 3 },
    '_Installation: empty installationId, omitted': { count: 2 },
  })
  expect(await verify(path)).toMatchObject({ code: 0 })
})

test('mongoexport files keep their ids, so that pointers resolve', async () => {
  const lines = [
    { _id: { $oid: OID }, nick: 'ann', created: { $date: '2020-01-02T03:04:05Z' } },
    { _id: { $oid: '5f0000000000000000000002' }, nick: 'bob', parent: { $ref: 'Note', $id: { $oid: OID } } },
  ]
  const path = await target.file('Note.json', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect((await target.run(path)).code).toBe(0)
  const { body } = await app.request('GET', '/1.1/classes/Note', { query: { order: 'objectId', include: 'parent' } })
  expect(body.results).toMatchObject([
    { objectId: OID, created: { __type: 'Date', iso: '2020-01-02T03:04:05.000Z' } },
    { objectId: '5f0000000000000000000002', parent: { objectId: OID, nick: 'ann' } },
  ])
})

test('keeps the first of two messages with one id; repairs and reports texts that cannot be stored', async () => {
  const message = (id: string, data: string) => ({
    'msg-id': id,
    'conv-id': '5f00000000000000000000aa',
    from: 'ann',
    to: '5f00000000000000000000aa',
    timestamp: 1577934245000,
    data,
  })
  const messages = [message('m1', 'first'), message('m1', 'second'), message('m2', 'party \ud83c')]
  await app.request('POST', '/1.2/rtm/conversations', { master: true, body: { name: 'c' } })
  const conversation = await target.file(
    '_Conversation.0.jsonl',
    exportFile('_Conversation', [{ objectId: '5f00000000000000000000aa', m: ['ann'] }]),
  )
  const path = await target.file('chat.json', JSON.stringify(messages))
  expect((await target.run(conversation, path)).code).toBe(0)
  const { rows } = await app.sql('SELECT id, content FROM "$messages" ORDER BY id')
  expect(rows).toEqual([
    { id: 'm1', content: 'first' },
    { id: 'm2', content: 'party \ufffd' },
  ])
  expect(Object.keys((await target.report()).notes)).toEqual([
    'messaging-messages: string with NUL characters or unpaired surrogates, each replaced by U+FFFD',
  ])
})
