import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LongPages } from './long-pages.ts'
import type { Message } from './message.ts'

/** Reads of a page of the given length that end when the test says so. */
function reads() {
  const ends: ((length: number) => void)[] = []
  const read = () =>
    new Promise<Message[]>((resolve) => {
      ends.push((length) => resolve([{ content: 'x'.repeat(length) } as Message]))
    })
  return { ends, read }
}
const longPages = new LongPages()
const principal = (address: string) => ({ app: 'long-pages', address, user: '' })

it('reads short pages immediately', async () => {
  const { ends, read } = reads()
  const pages = Array.from({ length: 20 }, () => longPages.readQueued(100, principal('a'), read))
  expect(ends).toHaveLength(20)
  for (const end of ends) end(1)
  await Promise.all(pages)
})

it('reads two long pages at a time, with a pause before the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ends, read } = reads()
  const pages = Array.from({ length: 3 }, (_, n) => longPages.readQueued(1000, principal(`address ${n}`), read))
  await nextTurn()
  expect(ends).toHaveLength(2)
  ends[0]!(5_000_000)
  await pages[0]
  await vi.advanceTimersByTimeAsync(49)
  expect(ends).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(3)
  for (const end of ends.slice(1)) end(1)
  await Promise.all(pages)
  await vi.runAllTimersAsync()
})

it('queues all reads of a caller for ten seconds after a long page of few messages', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ends, read } = reads()
  const readPage = (address: string) => longPages.readQueued(100, principal(address), read)
  const first = readPage('greedy')
  ends.pop()!(50_001)
  await first
  const greedy = [readPage('greedy'), readPage('greedy')]
  await nextTurn()
  expect(ends).toHaveLength(1)
  const others = [readPage('modest'), readPage('modest'), readPage('modest')]
  expect(ends).toHaveLength(4)
  for (const end of ends.splice(1)) end(50_000)
  await Promise.all(others)
  ends.pop()!(1)
  await vi.advanceTimersByTimeAsync(1)
  ends.pop()!(1)
  await Promise.all(greedy)
  await vi.advanceTimersByTimeAsync(10_000)
  const later = [readPage('greedy'), readPage('greedy'), readPage('greedy')]
  expect(ends).toHaveLength(3)
  for (const end of ends) end(1)
  await Promise.all(later)
})

it('releases the slot of a page that fails', async () => {
  const failing = () => Promise.reject(new Error('lost'))
  for (let count = 0; count < 5; count++) {
    await expect(longPages.readQueued(1000, principal('a'), failing)).rejects.toThrow('lost')
  }
  expect(await longPages.readQueued(1000, principal('a'), async () => [])).toEqual([])
})

it('lists two long pages of conversations at a time, and short ones immediately', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ends: ((length: number) => void)[] = []
  const list = () => new Promise<number[]>((resolve) => ends.push((length) => resolve(Array(length).fill(0))))
  const long = Array.from({ length: 3 }, (_, n) => longPages.listQueued(1000, principal(`list ${n}`), list))
  await nextTurn()
  expect(ends).toHaveLength(2)
  const short = longPages.listQueued(100, principal('list 0'), list)
  expect(ends).toHaveLength(3)
  ends[0]!(1000)
  await long[0]
  await vi.advanceTimersByTimeAsync(39)
  expect(ends).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(4)
  for (const end of ends.slice(1)) end(1)
  await Promise.all([...long, short])
  await vi.runAllTimersAsync()
})
