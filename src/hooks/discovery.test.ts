import { pino } from 'pino'
import { beforeEach, expect, it } from 'vitest'
import { Discovery } from './discovery.ts'
import { EngineFailure } from './engine-failure.ts'
import type { EngineMetadata } from './engine-metadata.ts'

const FIRST = 'http://first'
const OTHER = 'http://other'

let time: number
let logged: string[]
/** Requests to engines without a response yet. */
let requests: { readonly url: string; answer(...names: string[]): void; fail(): void }[]
let discovery: Discovery

beforeEach(() => {
  time = 1000
  logged = []
  requests = []
  discovery = new Discovery({
    read: (url) =>
      new Promise<EngineMetadata>((resolve, reject) => {
        const answer = (...names: string[]) =>
          resolve({ names: new Set(names), knowsHookKey: true, oneCallPerConnection: false })
        requests.push({ url, answer, fail: () => reject(new EngineFailure('status', 'It was status 404.')) })
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

/** Requests the metadata, and lets the engine respond. */
async function learn(url: string, ...answered: string[]): Promise<void> {
  const found = discovery.find(url)
  requests.pop()!.answer(...answered)
  await found
}

async function meetSilence(url: string): Promise<void> {
  const found = discovery.find(url)
  requests.pop()!.fail()
  await found
}

/** Lets a background request complete. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('has nothing without an engine, and sends no requests', async () => {
  expect(namesNow()).toEqual([])
  expect(await names()).toEqual([])
  expect(requests).toEqual([])
})

it('returns nothing before the first response, and lets callers wait', async () => {
  expect(namesNow(FIRST)).toBeUndefined()
  const found = names(FIRST)
  expect(requests.map(({ url }) => url)).toEqual([FIRST])
  requests[0]!.answer('a')
  expect(await found).toEqual(['a'])
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('has nothing for an engine that has never responded, and retries soon', async () => {
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual([])
  time += 1999
  expect(namesNow(FIRST)).toEqual([])
  expect(requests).toEqual([])
  time += 1
  expect(namesNow(FIRST)).toEqual([])
  requests[0]!.answer('a')
  await settle()
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('refreshes the list in the background while it is used', async () => {
  await learn(FIRST, 'a')
  time += 19_999
  namesNow(FIRST)
  expect(requests).toEqual([])
  time += 1
  expect(namesNow(FIRST)).toEqual(['a'])
  expect(namesNow(FIRST)).toEqual(['a'])
  expect(requests).toHaveLength(1)
  requests[0]!.answer('b')
  await settle()
  expect(namesNow(FIRST)).toEqual(['b'])
})

it('does not use a list that has been unused for long', async () => {
  await learn(FIRST, 'a')
  time += 30_000
  expect(namesNow(FIRST)).toBeUndefined()
  const found = names(FIRST)
  requests[0]!.answer('b')
  expect(await found).toEqual(['b'])
})

it('keeps the last list of an engine that stops responding', async () => {
  await learn(FIRST, 'a')
  time += 30_000
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual(['a'])
})

it('requests the metadata of another engine immediately, and lets callers wait', async () => {
  await learn(FIRST, 'a')
  expect(namesNow(OTHER)).toBeUndefined()
  const found = names(OTHER)
  expect(requests.map(({ url }) => url)).toEqual([OTHER])
  requests[0]!.answer('b')
  expect(await found).toEqual(['b'])
})

it('keeps the last list until another engine responds', async () => {
  await learn(FIRST, 'a')
  await meetSilence(OTHER)
  expect(namesNow(OTHER)).toEqual(['a'])
})

it('ignores the response of an engine that has been replaced meanwhile', async () => {
  namesNow(FIRST)
  await learn(OTHER, 'b')
  requests[0]!.answer('a')
  await settle()
  expect(namesNow(OTHER)).toEqual(['b'])
})

it('clears the list when the engine is removed', async () => {
  await learn(FIRST, 'a')
  expect(namesNow()).toEqual([])
  await meetSilence(FIRST)
  expect(namesNow(FIRST)).toEqual([])
})

it('logs once that the engine is unavailable, and once that it is back', async () => {
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
