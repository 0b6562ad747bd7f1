import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { askToken, put, replyOf, someBytes, upload } from './uploading.ts'

// Two nodes on one database: the first has free space, the second reserves all of its disk.

const ADMIN_TOKEN = 'token-of-the-administrator-of-the-disk'
const databaseUrl = await newDatabase()
const start = (...options: string[]) =>
  makeHome(afterAll).start(['--database-url', databaseUrl, ...options], { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN })
const roomy = await start('--disk-reserve', '0')
const full = await start('--disk-reserve', '100%')
const app = await makeApp(roomy.url, ADMIN_TOKEN)

const bytes = someBytes(70_000)
const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
const json = { ...headers, 'content-type': 'application/json' }
const master = { ...json, 'x-lc-key': `${app.masterKey},master` }
const admin = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
const refused = { status: 503, body: { code: 511, error: expect.stringContaining('too little free space') } }

/** Sends a request to the node that reserves all of its disk. */
async function send(method: string, path: string, fields: Record<string, string>, body?: RequestInit['body']) {
  return replyOf(await fetch(`${full.url}${path}`, { method, headers: fields, ...(body !== undefined && { body }) }))
}

/** Returns the path of an upload whose token the other node has issued. */
async function uploadPath(): Promise<string> {
  const { token } = await askToken(app, { name: 'a.bin' })
  return `/uploads/${app.appId}/${token}`
}

function form(): FormData {
  const data = new FormData()
  data.append('file', new Blob([Buffer.from(bytes)]), 'a.bin')
  return data
}

const octets = { 'content-type': 'application/octet-stream' }
const move = { source: { kind: 'files', files: [{ name: 'a.jsonl', size: 1000 }] } }
const moves = `/admin/apps/${app.appId}/moves`

it.each<[string, () => Promise<unknown>]>([
  ['a token for a file', () => send('POST', '/1.1/fileTokens', json, JSON.stringify({ name: 'a' }))],
  ['an upload', async () => send('PUT', await uploadPath(), {}, bytes)],
  [
    'an upload of unknown length',
    async () =>
      replyOf(
        await fetch(`${full.url}${await uploadPath()}`, {
          method: 'PUT',
          body: new Blob([Buffer.from(bytes)]).stream(),
          duplex: 'half',
        } as RequestInit),
      ),
  ],
  ['a form with an upload', async () => send('POST', await uploadPath(), {}, form())],
  ['a block', async () => send('POST', `${await uploadPath()}/mkblk/${bytes.length}`, octets, bytes)],
  ['content with its request', () => send('POST', '/1.1/files/a.bin', { ...headers, ...octets }, bytes)],
  ['a form with its request', () => send('POST', '/1.1/files/a.bin', headers, form())],
  [
    'base64',
    () => send('POST', '/1.1/files/a.bin', json, JSON.stringify({ base64: Buffer.from(bytes).toString('base64') })),
  ],
  [
    'bytes of a record',
    () => send('PUT', `/admin/apps/${app.appId}/files/bytes?key=a&name=a`, { ...admin, ...octets }, bytes),
  ],
  ['a move of files', () => send('POST', moves, admin, JSON.stringify(move))],
  ['an export', () => send('POST', '/1.1/exportData', master, '{}')],
])('rejects %s when the free space is below the reserve', async (_what, refusal) => {
  expect(await refusal()).toMatchObject(refused)
})

it('refuses a part, and the completion of uploaded parts', async () => {
  const { token, key } = await askToken(app, { name: 'a.bin' })
  const begin = `/uploads/${app.appId}/${token}/buckets/homeport/objects/${key}/uploads`
  const { body } = await send('POST', begin, json)
  expect(await send('PUT', `${begin}/${body.uploadId}/1`, octets, bytes)).toMatchObject(refused)
  expect((await put(`${roomy.url}${begin}/${body.uploadId}/1`, bytes, octets)).status).toBe(200)
})

it('still serves files, images and the database', async () => {
  const { objectId } = await upload(app, 'kept.bin', bytes)
  expect((await send('GET', `/1.1/files/${objectId}`, json)).status).toBe(200)
  const made = await send('POST', '/1.1/classes/Post', json, JSON.stringify({ text: 'a'.repeat(100_000) }))
  expect(made.status).toBe(201)
  expect(
    (await send('POST', '/1.1/files', json, JSON.stringify({ name: 'a', url: 'https://a.example/a' }))).status,
  ).toBe(201)
  expect((await send('GET', '/health', {})).status).toBe(200)
})

it('logs once per folder when the reserve is reached', () => {
  expect(full.output().match(/below the reserve, refusing uploads/g)).toHaveLength(3)
})
