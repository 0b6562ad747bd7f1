import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { fileLocations } from '../../test/support/files.ts'
import { draftOf } from '../../test/support/messaging.ts'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { inputOf, json, standInEngine } from '../../test/support/stand-in-engine.ts'
import { Passwords } from '../accounts/passwords.ts'
import { Apps, schemaOf } from '../apps/apps.ts'
import { localBus } from '../bus/local-bus.ts'
import { localDirectory } from '../bus/local-directory.ts'
import { identifier, sql } from '../database/sql.ts'
import { Jobs } from '../jobs/jobs.ts'
import { Limiters } from '../limits/limiters.ts'
import { sendMessage } from '../messaging/messages/send-message.ts'
import { MASTER } from '../objects/access/caller.ts'
import { createObject } from '../objects/writing/create.ts'
import { openNodeQueues } from '../running-app/node-queues.ts'
import { RunningApps } from '../running-app/running-app.ts'

const engine = await standInEngine()
const database = await scratchDatabase()
const apps = new Apps(database)
const running = new RunningApps({
  queues: openNodeQueues(),
  ...fileLocations(),
  database,
  apps,
  bus: localBus(),
  directory: localDirectory(),
  jobs: new Jobs(database, pino({ level: 'silent' })),
  passwords: new Passwords(),
  limiters: new Limiters(),
  mailer: { send: async () => {} },
  outbox: '/nonexistent',
  log: pino({ level: 'silent' }),
})
afterAll(() => running.stop())

it('calls the engine in the current settings of the app, with the app’s keys', async () => {
  const { id, appKey, hookKey } = await apps.create('shop', null)
  const { messaging } = (await running.open(id))!
  engine.functions.set('_messageReceived', json({ result: { drop: true } }))
  expect(messaging.hooks.has('_messageReceived')).toBe(false)

  await apps.updateSettings(id, { engine: { production: `${engine.url}/` } })
  expect(await messaging.hooks.decide('_messageReceived', {})).toEqual({ drop: true })
  expect(engine.calls[0]!.headers).toMatchObject({ 'x-lc-id': id, 'x-lc-key': appKey, 'x-lc-hook-key': hookKey })

  engine.functions.set('_messageReceived', json({}, 500))
  expect(await messaging.hooks.decide('_messageReceived', {})).toEqual({})
  await apps.updateSettings(id, { messaging: { hooksFailClosed: true } })
  await expect(messaging.hooks.decide('_messageReceived', {})).rejects.toMatchObject({ code: 4200 })

  await apps.updateSettings(id, { engine: { production: null } })
  expect(messaging.hooks.has('_messageReceived')).toBe(false)
})

it('sends pending notifications to the engine when an app stops', async () => {
  const { id } = await apps.create('other shop', null)
  await apps.updateSettings(id, { engine: { production: engine.url } })
  const { messaging } = (await running.open(id))!
  engine.functions.set('_clientOffline', json({}))
  engine.calls.length = 0
  messaging.hooks.notify('_clientOffline', { peerId: 'mia' })
  await running.stop()
  expect(engine.calls.map(inputOf)).toEqual([{ peerId: 'mia' }])
})

it('completes pending pushes of messages before an app stops, however long their hook takes', async () => {
  const { id } = await apps.create('chat', null)
  await apps.updateSettings(id, { engine: { production: engine.url } })
  const { messaging, objects } = (await running.open(id))!
  let answer: (() => void) | undefined
  engine.functions.set('_receiversOffline', (response) => {
    answer = () => json({ result: {} })(response, engine.calls[0]!)
  })
  await expect.poll(() => messaging.hooks.has('_receiversOffline')).toBe(true)

  const phone = { deviceType: 'ios', deviceToken: 'a'.repeat(64), channels: ['away'], valid: true }
  await createObject(objects, '_Installation', phone, MASTER)
  const conversation = await createObject(objects, '_Conversation', { m: ['mia', 'away'] }, MASTER)
  const sender = { clientId: 'mia', session: null, ip: null, sync: true }
  await sendMessage(messaging, sender, draftOf(conversation.id, 'hello', { pushData: '{"alert":"hello"}' }))
  await expect.poll(() => answer).toBeDefined()
  const stopped = running.stop()
  answer!()
  await stopped
  const rows = await database.query(sql`SELECT msg FROM ${identifier(schemaOf(id), '$push_records')}`)
  expect(rows.map(({ msg }) => JSON.parse(String(msg)))).toEqual([{ alert: 'hello' }])
})
