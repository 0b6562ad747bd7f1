import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { indexed } from '../support/search.ts'
import { Live } from './live.ts'
import { Random } from './random.ts'
import { Difference, randomRead } from './reads.ts'
import { randomSearch } from './searches.ts'
import { endWorld, makeWorld, permit, type World } from './world.ts'
import { randomJoin, randomWrite } from './writes.ts'

/** The numbers per world: rounds, concurrent reads, sequential writes, role changes and permission changes. */
const ROUNDS = 8
const READS = 56
const AT_ONCE = 28
const SEARCHES = 12
const WRITES = 14
const JOINS = 2

/** Events that a check must cause; otherwise it has not compared them with the model. */
const EVERYTHING = [
  ...['get refused', 'get shown', 'get missing', 'scan refused', 'scan shown'],
  ...['url', 'batch', 'tunnel', 'cql'].flatMap((way) =>
    ['refused', 'shown', 'empty'].map((end) => `find by ${way} ${end}`),
  ),
  ...['search', 'alike'].flatMap((way) => ['refused', 'shown', 'empty'].map((end) => `${way} ${end}`)),
  ...['compare', 'points', 'contains', 'relatedTo', 'inQuery', 'select'].map((kind) => `${kind} shown`),
  ...['create done', 'create refused', 'fetch shown', 'fetch refused', 'role 200', 'role 403'],
  ...['relation 200', 'relation 403', 'delete 200', 'delete 403', 'update 200', 'update 400', 'update 403'],
  ...['update on condition 200', 'update on condition 400', 'update on condition 403'],
  ...['subscription made', 'subscription refused', 'leave without content told'],
  ...['create', 'update', 'enter', 'leave', 'delete'].map((op) => `${op} told`),
]

/** Returns the timeout of a check of so many cases, in milliseconds. */
export const timeFor = (cases: number) => 120_000 + cases * 60 * MAX_TIMES

/** A check adds worlds while an event is missing, up to so many times the wanted cases. */
const MAX_TIMES = 3

/**
 * Compares the server with a model of its permissions, with random objects, callers and operations. A difference names its world
 * and operation; a world can be recreated from its seed alone.
 * @param wantedCases the minimum number of reads and writes
 */
export async function checkModel(app: TestApp, seed: number, wantedCases: number): Promise<void> {
  await declareFields(app)
  const random = new Random(seed)
  const happened = new Map<string, number>()
  const differences: string[] = []
  const isEnough = (cases: number) =>
    differences.length >= 5 ||
    cases >= wantedCases * MAX_TIMES ||
    (cases >= wantedCases && EVERYTHING.every((what) => happened.has(what)))
  let cases = 0
  for (let number = 0; !isEnough(cases); number++) {
    const world = await makeWorld(app, random, number, happened)
    const live = new Live(world)
    try {
      await live.open(random)
      for (let round = 0; round < ROUNDS; round++) {
        await read(world, random)
        await change(world, live, random)
        cases += READS + WRITES + JOINS
      }
    } catch (error) {
      if (!(error instanceof Difference)) throw error
      differences.push(`World ${number} of seed ${seed}: ${error.message}`)
    }
    live.end()
    await endWorld(world)
  }
  expect(differences.join('\n\n')).toBe('')
  for (const what of EVERYTHING) expect(happened.get(what) ?? 0, what).toBeGreaterThan(0)
}

async function declareFields(app: TestApp): Promise<void> {
  const diary = { type: 'String', userPrivate: true }
  await app.admin('PATCH', '/classes/_User', {
    fields: { nick: { type: 'String' }, diary, note: { type: 'String', hidden: true } },
  })
  await app.admin('PATCH', '/classes/_Role', { fields: { scope: { type: 'String' } } })
}

/**
 * Reads as all callers.
 * @throws Difference
 */
async function read(world: World, random: Random): Promise<void> {
  for (let n = 0; n < READS; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => randomRead(world, random)))
  // A write can be found once it is indexed; permissions apply at query time.
  await indexed(world.app)
  await Promise.all(Array.from({ length: SEARCHES }, () => randomSearch(world, random, random.pick(world.callers))))
}

/**
 * Writes as all callers, then changes permissions.
 * @throws Difference
 */
async function change(world: World, live: Live, random: Random): Promise<void> {
  for (let n = 0; n < WRITES; n++) {
    const written = await randomWrite(world, random)
    if (written) live.wrote(written)
  }
  // Permissions apply when an event is sent: all events are sent by now.
  await live.look()
  for (let n = 0; n < JOINS; n++) await randomJoin(world, random)
  await permit(world, random, random.pick(world.classNames))
  if (random.chance(0.3)) await live.endSession(random)
}
