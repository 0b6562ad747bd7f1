import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { type Device, devicesOf, type IMClient } from '../support/realtime.ts'
import { makeSdkApp } from '../support/sdk.ts'
import { withoutProgress } from '../support/without-progress.ts'
import { recordsIn, runFor, scratchFolder } from './exported-app.ts'

const app = await makeSdkApp()
const other = await makeApp()
const folder = join(scratchFolder(), 'out')

/** Logs a client in and waits for its unread counts. */
async function unreadOf(
  of: TestApp,
  id: string,
): Promise<{ device: Device; client: IMClient; unread: [string, number][] }> {
  const device = devicesOf(of, onTestFinished)()
  const client = await device.logIn(id)
  const conversations = await client.getQuery().containsMembers([id]).find()
  const told = () => conversations.map((one) => [one.id, one.unreadMessagesCount] as [string, number]).sort()
  await expect.poll(() => told().some(([, count]) => count > 0), { timeout: 60_000 }).toBe(true)
  return { device, client, unread: told() }
}

/** Reads all messages of an app, as its back end. */
async function historyOf(of: TestApp) {
  const query = { limit: '1000', reversed: 'true' }
  return (await of.request('GET', '/1.2/rtm/messages', { master: true, query })).body
}

async function tableOf(of: TestApp, table: string) {
  return (await of.sql(`SELECT to_jsonb(stored) AS row FROM "${table}" AS stored ORDER BY stored::text`)).rows
}

test('conversations continue in another app', { timeout: 120_000 }, async () => {
  const device = devicesOf(app, onTestFinished)()
  const { TextMessage } = device.sdk
  const tom = await device.logIn('tom')
  const jerry = await devicesOf(app, onTestFinished)().logIn('jerry')
  const chat = await tom.createConversation({ members: ['jerry', 'spike'], name: 'chat', unique: true })
  const texts = []
  for (const text of ['一', '"two"', 'three', 'four']) texts.push(await chat.send(new TextMessage(text)))
  await chat.recall(texts[1]!)
  const ofJerry = await jerry.getConversation(chat.id)
  await expect.poll(() => ofJerry!.unreadMessagesCount).toBeGreaterThan(0)
  await ofJerry!.read()
  await chat.send(new TextMessage('five').setMentionList(['jerry']), { receipt: true })
  await jerry.close()
  await chat.send(new TextMessage('six'))
  const room = await tom.createChatRoom({ name: 'room' })
  await room.send(new TextMessage('in the room'))
  await tom.close()
  const history = await historyOf(app)
  expect(history).toHaveLength(7)

  const out = await runFor(app, 'export', '--to', folder)
  expect([out.code, withoutProgress(out.stderr)]).toEqual([0, ''])
  const items = await recordsIn(folder, 'messaging-messages.0.jsonl')
  for (const item of history) expect(items).toContainEqual(expect.objectContaining(item))

  const report = scratchFolder()
  const into = await runFor(other, 'import', '--report', report, folder)
  expect([into.code, withoutProgress(into.stderr)]).toEqual([0, ''])
  expect(await historyOf(other)).toEqual(history)
  for (const table of ['$messages', '$threads', '$reads'])
    expect(await tableOf(other, table), table).toEqual(await tableOf(app, table))

  const there = await unreadOf(other, 'jerry')
  expect(there.unread).toEqual((await unreadOf(app, 'jerry')).unread)
  const next = await there.client.getConversation(chat.id)
  const sent = await next!.send(new there.device.sdk.TextMessage('seven'))
  expect(sent.timestamp.getTime()).toBeGreaterThan(history.at(-1).timestamp)
  const last = await next!.queryMessages({ limit: 3 })
  expect(last.map((message) => (message as InstanceType<typeof TextMessage>).getText())).toEqual([
    'five',
    'six',
    'seven',
  ])

  const again = await runFor(other, 'import', '--again', '--report', report, folder)
  expect(again.code).toBe(0)
  expect(await historyOf(other)).toHaveLength(8)
})

test('reports messages it cannot import with their line numbers', async () => {
  const target = await makeApp()
  const item = { 'msg-id': 'm1', 'conv-id': 'c1', timestamp: 1_600_000_000_000, from: 'tom', data: 'hello', bin: false }
  const lines = [
    item,
    { ...item, timestamp: 'soon' },
    { ...item, 'msg-id': '' },
    { ...item, 'msg-id': 'm3', mentions: [1] },
    { ...item, 'msg-id': 'm4', timestamp: 1_600_000_000_001 },
  ]
  const source = scratchFolder()
  await writeFile(join(source, 'messages.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const report = join(source, 'report')
  const { code } = await runFor(target, 'import', '--report', report, join(source, 'messages.jsonl'))
  expect(code).toBe(3)
  const rejected = await recordsIn(report, 'rejected.jsonl')
  expect(rejected.map(({ place, reason }) => [place, /'[\w-]+'/.exec(reason)?.[0]])).toEqual([
    ['messages.jsonl:2', "'timestamp'"],
    ['messages.jsonl:3', "'msg-id'"],
    ['messages.jsonl:4', "'mentions'"],
  ])
  expect((await historyOf(target)).map((message: { 'msg-id': string }) => message['msg-id'])).toEqual(['m1', 'm4'])
  expect((await target.sql('SELECT * FROM "$threads"')).rows).toEqual([
    { conv_id: 'c1', last_ts: '1600000000001', before_ts: '0' },
  ])
})
