import { pino } from 'pino'
import { beforeEach, expect, it } from 'vitest'
import { Discovery } from './discovery.ts'
import { EngineFailure } from './engine-failure.ts'
import type { EngineMetadata } from './engine-metadata.ts'

const FIRST = 'http://first'
const OTHER = 'http://other'

let time: number
let logged: string[]
/** The engines that were asked and have not answered yet. */
let asked: { readonly url: string; answer(...names: string[]): void; fail(): void }[]
let discovery: Discovery

beforeEach(() => {
  time = 1000
  logged = []
  asked = []
  discovery = new Discovery({
    read: (url) =>
      new Promise<EngineMetadata>((resolve, reject) => {
        const answer = (...names: string[]) =>
          resolve({ names: new Set(names), knowsHookKey: true, oneCallPerConnection: false })
        asked.push({ url, answer, fail: () => reject(new EngineFailure('status', 'It was status 404.')) })
      }),
    log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }).child({ app: 'app-1' }),
    now: () => time,
  })
})

const namesNow = (url?: string) => {
  const metadata = discovery.known(url)
  return metadata && [...metadata.names]
}
const names = async (url?: string) => [...(await discovery.find(url)).names]

/** Asks, and lets the engine answer. */
async function learn(url: string, ...answered: string[]): Promise<void> {
  const found = discovery.find(url)
  asked.pop()!.answer(...answered)
  await found
}

async function meetSilence(url: string): Promise<void> {
  const found = discovery.find(url)
  asked.pop()!.fail()
  await found
}

/** Lets a question in the background come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('without an engine there is nothing, and nobody is asked', async () => {
  expect(namesNow()).toEqual([])
  expect(await names()).toEqual([])
  expect(asked).toEqual([])
})

it('nothing is known before the engine has answered, and who wants to know waits', async () => {
  expect(namesNow(FIRST)).toBeUndefined()
  const found = names(FIRST)
  expect(asked.map(({ url }) => url)).toEqual([FIRST])
  asked[0]!.answer('a')
  expect(await found).toEqual(['a'])
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('an engine that has never answered has nothing, and is asked again soon', async () => {
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual([])
  time += 1999
  expect(namesNow(FIRST)).toEqual([])
  expect(asked).toEqual([])
  time += 1
  expect(namesNow(FIRST)).toEqual([])
  asked[0]!.answer('a')
  await settle()
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('while the list is used it is asked for anew, and nobody waits for that', async () => {
  await learn(FIRST, 'a')
  time += 19_999
  namesNow(FIRST)
  expect(asked).toEqual([])
  time += 1
  expect(namesNow(FIRST)).toEqual(['a'])
  expect(namesNow(FIRST)).toEqual(['a'])
  expect(asked).toHaveLength(1)
  asked[0]!.answer('b')
  await settle()
  expect(namesNow(FIRST)).toEqual(['b'])
})

it('a list that has not been used for long is not relied on', async () => {
  await learn(FIRST, 'a')
  time += 30_000
  expect(namesNow(FIRST)).toBeUndefined()
  const found = names(FIRST)
  asked[0]!.answer('b')
  expect(await found).toEqual(['b'])
})

it('an engine that does not answer any more keeps its last list', async () => {
  await learn(FIRST, 'a')
  time += 30_000
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('another engine is asked at once, and who wants to know waits for it', async () => {
  await learn(FIRST, 'a')
  expect(namesNow(OTHER)).toBeUndefined()
  const found = names(OTHER)
  expect(asked.map(({ url }) => url)).toEqual([OTHER])
  asked[0]!.answer('b')
  expect(await found).toEqual(['b'])
})

it('until another engine answers, the last list holds', async () => {
  await learn(FIRST, 'a')
  await meetSilence(OTHER)
  expect(namesNow(OTHER)).toEqual(['a'])
})

it('what an engine says that has been replaced meanwhile does not count', async () => {
  namesNow(FIRST)
  await learn(OTHER, 'b')
  asked[0]!.answer('a')
  await settle()
  expect(namesNow(OTHER)).toEqual(['b'])
})

it('an engine that is taken away takes its list with it', async () => {
  await learn(FIRST, 'a')
  expect(namesNow()).toEqual([])
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual([])
})

it('that the engine is away is said once, and once that it is back', async () => {
  for (const round of [1, 2, 3]) {
    await meetSilence(FIRST)
    time += 30_000 * round
  }
  await learn(FIRST, 'a')
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, app: 'app-1', error: 'It was status 404.' },
    { level: 30, app: 'app-1' },
  ])
})
