import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { callSystemWebHooks, type SystemMessage } from './system-web-hook.ts'

const { messaging, conversation, connect, send, database, configure } = await makeMessaging()
const jobs = new Jobs(database, pino({ level: 'silent' }), { pollInterval: 20, retryDelay: 20 })
callSystemWebHooks(jobs, async (appId) => (appId === messaging.appId ? messaging.settings() : undefined))
jobs.start()

const calls: SystemMessage[][] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end()
const receiver = createServer(async (request, response) => {
  calls.push((await json(request)) as SystemMessage[])
  answer(request, response)
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/messages?token=x`
const convId = await conversation([], { sys: true })

afterAll(async () => {
  await jobs.stop()
  receiver.closeAllConnections()
  receiver.close()
})

/** Resolves when no posts are pending. */
async function allPosted(): Promise<void> {
  await expect.poll(() => database.query(sql`SELECT kind FROM homeport.jobs`), { timeout: 60_000 }).toEqual([])
}

it('queues nothing for an app without a web hook', async () => {
  await send(connect('ann'), convId, 'stored only')
  expect(await database.query(sql`SELECT kind FROM homeport.jobs`)).toEqual([])
})

it('receives each message once, as stored', async () => {
  configure({ systemWebhook: url })
  const ann = connect('ann')
  const sent = await Promise.all(Array.from({ length: 30 }, (_, n) => send(ann, convId, `message ${n}`)))
  await allPosted()
  const posted = calls.flat()
  expect(posted.map(({ msgId }) => msgId).sort()).toEqual(sent.map(({ id }) => id).sort())
  // Messages that arrive together are sent in one batch.
  expect(calls.length).toBeLessThan(30)
  const first = posted.find(({ msgId }) => msgId === sent[0]!.id)!
  expect(first).toEqual({
    conv: { __type: 'Pointer', className: '_Conversation', objectId: convId },
    msgId: sent[0]!.id,
    from: 'ann',
    bin: false,
    data: 'message 0',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: first.createdAt,
  })
  const { table } = messaging.objects.classes.get('_SysMessage')!
  const [row] = await database.query(sql`SELECT created_at FROM ${table} WHERE data->>'msgId' = ${first.msgId}`)
  expect(Date.parse(String(row!.created_at))).toBe(Date.parse(first.createdAt))
})

it.each([
  ['answers 500', (response: ServerResponse) => void response.writeHead(500).end()],
  ['redirects', (response: ServerResponse) => void response.writeHead(302, { location: url }).end()],
  ['breaks off', (response: ServerResponse) => void response.destroy()],
])('retries a web hook that %s three times', async (_, fail) => {
  calls.length = 0
  answer = (_request, response) => fail(response)
  const { id } = await send(connect('ann'), convId, 'again')
  await allPosted()
  expect(calls.map((call) => call.map(({ msgId }) => msgId))).toEqual([[id], [id], [id], [id]])
})

it('stops calling a web hook after its first successful response', async () => {
  calls.length = 0
  answer = (_request, response) => void response.writeHead(calls.length < 2 ? 503 : 204).end()
  await send(connect('ann'), convId, 'twice')
  await allPosted()
  expect(calls).toHaveLength(2)
})

it('drops queued messages when the web hook is removed', async () => {
  calls.length = 0
  answer = (_request, response) => {
    configure({ systemWebhook: undefined })
    response.writeHead(500).end()
  }
  await send(connect('ann'), convId, 'too late')
  await allPosted()
  expect(calls).toHaveLength(1)
})
