import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

/** All inputs for date texts share one grammar (protocol/storage, Date texts). */
const app = await makeApp()
const { objectId } = (await app.request('POST', '/1.1/classes/Event', { body: { at: date('2020-01-01T00:00:00Z') } }))
  .body

function date(iso: string) {
  return { __type: 'Date', iso }
}

const send = (method: string, path: string, body?: unknown, query: Record<string, string> = {}) =>
  app.request(method, path, { master: true, query, ...(body !== undefined && { body }) })
const find = (where: object) => send('GET', '/1.1/classes/Event', undefined, { where: JSON.stringify(where) })

/** The inputs, with the error code for a text that is not a date. */
const PLACES: readonly (readonly [place: string, code: number, request: (text: string) => ReturnType<typeof send>])[] =
  [
    ['a new object', 111, (text) => send('POST', '/1.1/classes/Event', { at: date(text) })],
    ['a member', 111, (text) => send('POST', '/1.1/classes/Event', { o: { list: [date(text)] } })],
    ['an update', 111, (text) => send('PUT', `/1.1/classes/Event/${objectId}`, { at: date(text) })],
    [
      'an operation',
      111,
      (text) => send('PUT', `/1.1/classes/Event/${objectId}`, { a: { __op: 'Add', objects: [date(text)] } }),
    ],
    ['a condition', 111, (text) => find({ at: date(text) })],
    ['a range', 111, (text) => find({ at: { $gt: date(text) } })],
    ['createdAt', 102, (text) => find({ createdAt: { $gt: date(text) } })],
    ['createdAt as a text', 102, (text) => find({ updatedAt: { $lt: text } })],
    [
      'CQL',
      111,
      (text) => send('GET', '/1.1/cloudQuery', undefined, { cql: `select * from Event where at > date('${text}')` }),
    ],
    ['push_time', 1, (text) => send('POST', '/1.1/push', { where: { a: 1 }, data: { alert: 'x' }, push_time: text })],
    [
      'push_time as a Date',
      1,
      (text) => send('POST', '/1.1/push', { where: { a: 1 }, data: { alert: 'x' }, push_time: date(text) }),
    ],
    [
      'expiration_time',
      1,
      (text) => send('POST', '/1.1/push', { where: { a: 1 }, data: { alert: 'x' }, expiration_time: text }),
    ],
    [
      'from_date of an export',
      1,
      (text) => send('POST', '/1.1/exportData', { 'only-schema': 'true', from_date: text }),
    ],
  ]

describe.each(PLACES)('%s', (_place, code, request) => {
  it.each([
    '2051-01-02T11:04:05.678Z',
    '2051-01-02T11:04Z',
    '2051-01-02T11:04:05+0800',
    '2051-01-02T11:04:05',
    '2051-01-02',
  ])('accepts %s', async (text) => {
    const { status, body } = await request(text)
    expect([status < 300, body.error]).toEqual([true, undefined])
  })

  it.each([
    'room 7',
    '5',
    'now',
    '',
    '2021-02-30',
    '2021-02-30T00:00:00.000Z',
    '2020-01-02 11:04:05',
    '2020-13-01',
    '01/02/2020',
    '2020',
  ])('rejects %j and names the valid form', async (text) => {
    const { status, body } = await request(text)
    expect([status, body.code]).toEqual([400, code])
    expect(body.error).toMatch(/YYYY-MM-DDTHH:MM:SS\.MMMZ|2026-01-31T00:00:00\.000Z/)
  })
})

it.each([
  ['2020-01-02T11:04:05', '2020-01-02T11:04:05.000Z'],
  ['2020-01-02T11:04+08:00', '2020-01-02T03:04:00.000Z'],
  ['2020-01-02', '2020-01-02T00:00:00.000Z'],
  ['2020-02-29T23:59:59.9999Z', '2020-02-29T23:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
])('%s is stored as %s', async (text, iso) => {
  const { body } = await send('POST', '/1.1/classes/Event', { at: date(text) })
  expect((await send('GET', `/1.1/classes/Event/${body.objectId}`)).body.at).toEqual(date(iso))
  expect((await find({ at: date(text), objectId: body.objectId })).body.results).toHaveLength(1)
  expect((await find({ objectId: body.objectId, createdAt: { $gt: text } })).body.results).toHaveLength(1)
})

it.each(['room 7', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '2026-01-01 00:00:00'])(
  'the management API rejects %j',
  async (createdAt) => {
    const restored = await app.admin('POST', '/classes/Event/restore', { objectId: 'x1', createdAt, fields: {} })
    expect(restored).toMatchObject({ status: 400, body: { code: 1, error: expect.stringContaining('createdAt') } })
  },
)
