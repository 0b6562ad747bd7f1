import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { fileLocations } from '../../../test/support/files.ts'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { Passwords } from '../../accounts/passwords.ts'
import { Apps } from '../../apps/apps.ts'
import { localBus } from '../../bus/local-bus.ts'
import { localDirectory } from '../../bus/local-directory.ts'
import { Jobs } from '../../jobs/jobs.ts'
import { Limiters } from '../../limits/limiters.ts'
import { openNodeQueues } from '../../running-app/node-queues.ts'
import { RunningApps } from '../../running-app/running-app.ts'
import { MASTER } from '../access/caller.ts'
import { readObject } from '../reading/read.ts'
import type { ObjectStore } from '../store.ts'
import { createObject, createObjects } from './create.ts'
import { createAll } from './create-all.ts'
import { deleteObject } from './delete.ts'
import { updateObject } from './update.ts'

// Two nodes without a bus or polling: each detects the other's changes only when a write fails.
const database = await scratchDatabase()
const log = pino({ level: 'silent' })
const nodes = [await node(), await node()] as const
const { id: appId } = await nodes[0].apps.create('deaf', null)
const [here, there] = await Promise.all([open(0), open(1)])
afterAll(async () => {
  for (const { running } of nodes) await running.stop()
})

async function node() {
  const apps = new Apps(database)
  const running = new RunningApps({
    queues: openNodeQueues(),
    ...fileLocations(),
    database,
    apps,
    bus: localBus(),
    directory: localDirectory(),
    alone: true,
    limiters: new Limiters(),
    jobs: new Jobs(database, log),
    passwords: new Passwords(),
    mailer: { send: async () => {} },
    outbox: '/nonexistent',
    log,
  })
  return { apps, running }
}

async function open(index: 0 | 1): Promise<ObjectStore> {
  return (await nodes[index].running.open(appId))!.objects
}

let className = ''
let count = 0
let id = ''

/** A class that both nodes know, and that one has deleted. */
beforeEach(async () => {
  className = `Class${count++}`
  id = (await createObject(here, className, { n: 1 }, MASTER)).id
  await there.classes.find(className)
  await here.classes.drop(className)
  expect(there.classes.get(className)).toBeDefined()
})

const typeThere = () => there.classes.get(className)?.fields.get('n')?.type.type
const VIEW = { selection: null, include: null, acl: false }

test('creates the class again, with the new type', async () => {
  const { id: made } = await createObject(there, className, { n: 'text' }, MASTER)
  expect(typeThere()).toBe('String')
  await here.classes.refresh()
  expect(await readObject(here, className, made, VIEW, MASTER)).toMatchObject({
    text: expect.stringContaining('"text"'),
  })
})

test('creates the class again when a create would add a field', async () => {
  await createObject(there, className, { another: 1 }, MASTER)
  expect([...there.classes.get(className)!.fields.keys()]).toEqual(['another'])
})

test('creates the class again for coalesced creates, and for creates of all or none', async () => {
  const outcomes = await createObjects(there, className, [{ n: 1 }, { n: 2 }], MASTER)
  expect(outcomes).toEqual([{ result: expect.anything() }, { result: expect.anything() }])
  await here.classes.refresh()
  await here.classes.drop(className)
  expect(await createAll(there, className, [{ n: 1 }, { n: 2 }], MASTER)).toHaveLength(2)
})

test('finds no object to update, and succeeds in a delete', async () => {
  await expect(
    updateObject(there, className, id, { n: 2 }, { where: null, fetch: false }, MASTER),
  ).rejects.toMatchObject({ code: 1 })
  expect(there.classes.get(className)).toBeUndefined()
  await deleteObject(there, className, id, null, MASTER)
})

test('succeeds in a delete with the outdated class', async () => {
  await deleteObject(there, className, id, null, MASTER)
  expect(there.classes.get(className)).toBeUndefined()
})

test('reports a read of a deleted class as a missing class', async () => {
  await expect(readObject(there, className, id, VIEW, MASTER)).rejects.toMatchObject({ code: 101 })
})

test('applies the types of the re-created class to writes, not those of the old one', async () => {
  await createObject(here, className, { n: 'text' }, MASTER)
  expect(typeThere()).toBe('Number')
  await expect(createObject(there, className, { n: 2 }, MASTER)).rejects.toMatchObject({ code: 111 })
  await createObject(there, className, { n: 'another' }, MASTER)
  expect(typeThere()).toBe('String')
})

test('restarts a counter of a re-created class', async () => {
  const fields = new Map([['n', { type: { type: 'Number' as const }, autoIncrement: true }]])
  await here.classes.configure(className, { fields })
  await createObject(there, className, {}, MASTER)
  const { data } = await createObject(there, className, {}, MASTER)
  expect(JSON.parse(String(data))).toEqual({ n: 2 })
})

test('drops the current table of a class, also if the node knows it by an older name', async () => {
  await createObject(here, className, { n: 1 }, MASTER)
  await there.classes.drop(className)
  await here.classes.refreshIfChanged()
  expect(here.classes.get(className)).toBeUndefined()
})
