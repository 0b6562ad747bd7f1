import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ReadingThreads } from './reading-threads.ts'

const folder = await mkdtemp(join(tmpdir(), 'homeport-threads-'))
const opened: ReadingThreads[] = []
afterEach(() => Promise.all(opened.splice(0).map((threads) => threads.stop())))
afterAll(() => rm(folder, { recursive: true }))
let workers = 0

/** Creates threads that run a source text, and collects their log. */
async function open(worker: string, now = () => 0) {
  const path = join(folder, `worker-${++workers}.mjs`)
  await writeFile(path, worker)
  const logged: { readonly error: unknown; readonly text: string }[] = []
  const log = { warn: ({ error }: { error?: unknown }, text: string) => void logged.push({ error, text }) }
  const threads = new ReadingThreads({ log, worker: pathToFileURL(path).href, now })
  opened.push(threads)
  return { threads, logged }
}

test('runs a function in a thread', async () => {
  const { threads, logged } = await open('export const double = (n) => 2 * n')
  expect(await threads.run('double', 21)).toBe(42)
  expect(logged).toEqual([])
})

test.each([
  { fails: 'ends', worker: 'export const read = () => process.exit(3)', reason: 'code: 3' },
  { fails: 'throws', worker: "export const read = () => { throw new Error('odd') }", reason: 'odd' },
  { fails: 'cannot start', worker: "throw new Error('no such part')", reason: 'no such part' },
])('returns null for the tasks of a thread that $fails, and logs it once', async ({ worker, reason }) => {
  const { threads, logged } = await open(worker)
  expect(await Promise.all([1, 2, 3].map((n) => threads.run('read', n)))).toEqual([null, null, null])
  expect(logged).toEqual([
    { error: expect.objectContaining({ message: expect.stringContaining(reason) }), text: expect.any(String) },
  ])
})

test('pauses for a minute after a failure, then starts threads again', async () => {
  let time = 0
  const { threads, logged } = await open('export const read = (n) => n === 1 ? process.exit(3) : n', () => time)
  expect(await threads.run('read', 1)).toBe(null)
  time = 59_999
  expect(await threads.run('read', 2)).toBe(null)
  time = 60_000
  expect(await threads.run('read', 3)).toBe(3)
  expect(logged).toHaveLength(1)
})

test('returns null for running tasks when stopped, without a log entry', async () => {
  const { threads, logged } = await open('export const read = () => new Promise(() => {})')
  const running = threads.run('read', 1)
  await threads.stop()
  expect(await running).toBe(null)
  expect(await threads.run('read', 2)).toBe(null)
  expect(logged).toEqual([])
})
