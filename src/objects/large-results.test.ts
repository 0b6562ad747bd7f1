import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LargeResults, type ResultRoom } from './large-results.ts'

const MB = 1024 * 1024
const results = new LargeResults()
const principal = (address: string) => ({ app: 'large', address, user: '' })

/** Delays responses until it is ended. */
function holdUp() {
  const end = new AbortController()
  const ended = async () => {
    if (!end.signal.aborted) await once(end.signal, 'abort')
  }
  return { ended, end: () => end.abort() }
}

/** Counts rows of at most a megabyte, as a query does. */
function read(room: ResultRoom, bytes: number): void {
  room.begin()
  for (let left = bytes; left > 0; left -= MB) room.sizeOf({ data: 'x'.repeat(Math.min(left, MB)) })
}

function answer<Answer>(address: string, bytes: number, present: () => Promise<Answer>): Promise<Answer> {
  return results.withRoom(principal(address), async (room) => {
    read(room, bytes)
    return room.presentQueued(present)
  })
}

it('makes large responses one after the other, without delaying small ones', async () => {
  const events: string[] = []
  const make = (name: string, bytes: number) =>
    answer(name, bytes, async () => {
      events.push(`${name} begins`)
      if (bytes > MB) await sleep(20)
      events.push(`${name} ends`)
    })
  await Promise.all([make('first', 2 * MB), make('second', 2 * MB), make('small', 1000)])
  expect(events).toEqual(['small begins', 'small ends', 'first begins', 'first ends', 'second begins', 'second ends'])
})

it('bounds the rows held in memory for an address, from when they are read', async () => {
  const { end, ended } = holdUp()
  const made = [6, 6, 6].map((size) => answer('a', size * MB, ended))
  const beingRead = results.withRoom(principal('a'), async (room) => {
    read(room, 6 * MB)
    await ended()
  })
  await expect(answer('a', 6 * MB, ended)).rejects.toThrow('Too many requests.')
  expect(await answer('a', 1000, async () => 'small')).toBe('small')
  const ofAnother = answer('b', 6 * MB, async () => 'another')
  end()
  await Promise.all([...made, beingRead])
  expect(await ofAnother).toBe('another')
  expect(await answer('a', 6 * MB, async () => 'free again')).toBe('free again')
})

it('allows a single response of any size, during which no more is read for its address', async () => {
  const { end, ended } = holdUp()
  const alone = answer('a', 30 * MB, ended)
  await expect(answer('a', 1000, async () => 'small')).rejects.toThrow('Too many requests.')
  end()
  await alone
  expect(await answer('a', 1000, async () => 'small')).toBe('small')
})

it('stops counting the rows of a statement when the next one begins', async () => {
  await results.withRoom(principal('a'), async (room) => {
    read(room, 20 * MB)
    read(room, 1000)
    expect(await answer('a', 20 * MB, async () => 'answer')).toBe('answer')
  })
})

it('passes the slot to the next response after a failure', async () => {
  await expect(answer('a', MB, () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  expect(await answer('a', MB, async () => 'answer')).toBe('answer')
})
