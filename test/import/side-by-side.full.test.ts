import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'
import { runProgram } from '../support/program.ts'
import { exportFile } from './imports.ts'

// A separate server: the shared one serves clients all the time.
const server = await startOwnServer([])
const folder = mkdtempSync(join(tmpdir(), 'homeport-import-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Maximum number of records per batch. */
const BATCH = 4000
const AT = { createdAt: '2020-09-01T00:00:00.000Z', updatedAt: '2020-09-01T00:00:00.000Z' }
const TIME = 1_600_000_000_000
const CHATS = Array.from({ length: 40 }, (_, n) => `5541c02ce4b0f83f4d4441${n + 10}`)

/** Returns the number of a record: some at the start of a batch repeat those at the end of the previous one. */
function numberOf(n: number): number {
  return n >= BATCH && n % BATCH < 5 ? n - 7 : n
}

async function importInto({ appId }: TestApp, files: Readonly<Record<string, string>>) {
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  })
  const report = join(folder, 'report')
  const args = ['import', '--app', appId, '--url', server.url, '--again', '--report', report, ...paths]
  const { code, stderr } = await runProgram(args, { HOMEPORT_ADMIN_TOKEN: server.adminToken })
  expect(code, stderr).toBe(0)
  return JSON.parse(readFileSync(join(report, 'report.json'), 'utf8')).counts
}

describe.each(['nobody else asks', 'clients are served'])('while %s', { timeout: 180_000 }, (state) => {
  const whileServed = async <Result>(app: TestApp, work: () => Promise<Result>) => {
    const asking =
      state === 'clients are served' ? setInterval(() => void app.request('GET', '/1.1/classes/Any'), 100) : undefined
    return work().finally(() => clearInterval(asking))
  }

  test('keeps objects of the previous batch without loss or duplicates', async () => {
    const app = await makeApp(server.url, server.adminToken)
    const amount = 6 * BATCH
    const objects = Array.from({ length: amount }, (_, n) => ({ objectId: `o${numberOf(n)}`, ...AT, n }))
    const counts = await whileServed(app, () => importInto(app, { 'Thing.0.jsonl': exportFile('Thing', objects) }))
    expect(counts).toEqual({ Thing: { read: amount, created: amount - 25, updated: 0, existing: 25, rejected: 0 } })
    const count = async (where: object) => {
      const query = { where: JSON.stringify(where), count: '1', limit: '0' }
      return (await app.request('GET', '/1.1/classes/Thing', { master: true, query })).body.count
    }
    expect(await count({})).toBe(amount - 25)
    // Of two records with one id the first one wins.
    expect(await count({ n: { $in: [BATCH, BATCH + 4, 5 * BATCH] } })).toBe(0)
  })

  test('imports messages after the conversations of the previous batch', async () => {
    const app = await makeApp(server.url, server.adminToken)
    const amount = 3 * BATCH
    const conversations = CHATS.map((objectId) => ({ objectId, m: ['ann', 'bob'], c: 'ann', ...AT }))
    const messages = Array.from({ length: amount }, (_, n) => numberOf(n)).map((n) => ({
      'msg-id': `m${n}`,
      'conv-id': CHATS[n % CHATS.length],
      to: CHATS[n % CHATS.length],
      from: 'bob',
      timestamp: TIME + n,
      data: `text ${n}`,
    }))
    const counts = await whileServed(app, () =>
      importInto(app, {
        '_Conversation.0.jsonl': exportFile('_Conversation', conversations),
        'messages.jsonl': messages.map((one) => `${JSON.stringify(one)}\n`).join(''),
      }),
    )
    expect(counts['messaging-messages']).toMatchObject({ read: amount, created: amount - 10, existing: 10 })
    const { body } = await app.request('GET', '/1.2/rtm/conversations', { master: true, query: { limit: '100' } })
    const last = Object.fromEntries(
      body.results.map((one: { objectId: string; lm: { iso: string } }) => [one.objectId, Date.parse(one.lm.iso)]),
    )
    expect(last).toEqual(Object.fromEntries(CHATS.map((id, n) => [id, TIME + amount - CHATS.length + n])))
    const unread = await app.request('GET', '/1.2/rtm/clients/ann/unread-count', {
      master: true,
      query: { conv_id: CHATS[0]! },
    })
    expect(unread.body.count).toBe(0)
  })
})
