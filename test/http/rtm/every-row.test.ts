import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()

const ROOTS = { conversations: 4314, chatrooms: 4316, 'service-conversations': 4313 } as const
type Root = keyof typeof ROOTS

const SHARED = [
  'POST /member-infos',
  'PUT /member-infos/x',
  'DELETE /member-infos/x',
  'GET /member-infos',
  'POST /temporary-silenceds',
  'DELETE /temporary-silenceds',
  'POST /permanent-silenceds',
  'DELETE /permanent-silenceds',
  'GET /permanent-silenceds',
  'GET /messages',
  'DELETE /messages/m',
]
const OF_ALL = [
  'PUT ',
  'DELETE ',
  'POST /messages',
  'PUT /messages/m',
  'PUT /messages/m/recall',
  'POST /blacklists',
  'DELETE /blacklists',
  'GET /blacklists',
]

/** The endpoints of one conversation, by the path after its id (protocol/messaging, One-on-one and group conversations). */
const ROWS: { readonly [root in Root]: readonly string[] } = {
  conversations: [
    ...OF_ALL,
    ...SHARED,
    'POST /members',
    'DELETE /members',
    'GET /members',
    'POST /mutes',
    'DELETE /mutes',
    'GET /mutes',
  ],
  chatrooms: [...OF_ALL, ...SHARED, 'GET /members', 'GET /members/online-count'],
  'service-conversations': [
    ...OF_ALL,
    'POST /subscribers',
    'DELETE /subscribers/c',
    'GET /subscribers',
    'GET /subscribers/count',
    'POST /broadcasts',
    'DELETE /subscribers/c/messages/m',
    'GET /subscribers/c/messages',
  ],
}
const OTHERS = [
  'POST /1.2/rtm/clients/check-online',
  'GET /1.2/rtm/clients/c/messages',
  'POST /1.2/rtm/clients/c/kick',
  'GET /1.2/rtm/clients/c/service-conversations',
  'POST /1.2/rtm/clients/c/blacklists',
  'DELETE /1.2/rtm/clients/c/blacklists',
  'GET /1.2/rtm/clients/c/blacklists',
  'GET /1.2/rtm/messages',
  'GET /1.2/rtm/stats',
  'GET /1.2/rtm/all-conversations',
  'DELETE /1.2/rtm/broadcasts/m',
  'POST /1.1/rtm/messages',
  'GET /1.1/rtm/messages/history',
  'POST /1.1/rtm/broadcast',
  ...Object.keys(ROOTS).flatMap((root) => [`POST /1.2/rtm/${root}`, `GET /1.2/rtm/${root}`]),
]

const roots = Object.keys(ROOTS) as Root[]
const rows = roots.flatMap((root) => ROWS[root].map((row) => ({ root, row })))
const ids = {} as Record<Root, string>
const ABSENT = '555555555555555555555555'

const call = (line: string, options: { master?: boolean } = { master: true }) => {
  const [method, path] = line.split(' ') as [string, string]
  return app.request(method, path, options)
}
/** Returns the endpoint of one kind for a conversation, possibly of another kind. */
const place = (root: Root, row: string, id: string) => row.replace(' ', ` /1.2/rtm/${root}/${id}`)

beforeAll(async () => {
  for (const root of roots) {
    const { body } = await app.request('POST', `/1.2/rtm/${root}`, { master: true, body: { name: root } })
    ids[root] = body.objectId
  }
})

describe('without the master key nothing is done', () => {
  it.each(OTHERS)('%s', async (line) => {
    expect(await call(line, {})).toMatchObject({ status: 401, body: { code: 401 } })
  })

  it.each(rows)('$root: $row', async ({ root, row }) => {
    expect(await call(place(root, row, ids[root]), {})).toMatchObject({ status: 401, body: { code: 401 } })
  })
})

describe('an unknown conversation gets 404 and 4303', () => {
  it.each(rows)('$root: $row', async ({ root, row }) => {
    expect(await call(place(root, row, ABSENT))).toMatchObject({ status: 404, body: { code: 4303 } })
  })

  // All endpoints look up their conversation with the same function, so one endpoint tests the forms of an id.
  it.each(['none', '_tmp:none'])('with the id %s', async (id) => {
    expect(await call(place('conversations', 'GET /members', id))).toMatchObject({ status: 404, body: { code: 4303 } })
  })
})

describe('a conversation of another kind gets the code of the required kind', () => {
  it.each(rows)('$root: $row', async ({ root, row }) => {
    const other = roots[(roots.indexOf(root) + 1) % roots.length]!
    expect(await call(place(root, row, ids[other]))).toMatchObject({ status: 400, body: { code: ROOTS[root] } })
  })
})

describe('every read endpoint accepts the master key', () => {
  const gets = rows.filter(({ row }) => row.startsWith('GET '))
  it.each(gets)('$root: $row', async ({ root, row }) => {
    expect(await call(place(root, row, ids[root]))).toMatchObject({ status: 200 })
  })

  it.each(OTHERS.filter((line) => line.startsWith('GET ')))('%s', async (line) => {
    expect(await call(line)).toMatchObject({ status: 200 })
  })
})
