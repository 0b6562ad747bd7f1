import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { checkRoom, presentInTurn } from './large-results.ts'

const MB = 1024 * 1024
const party = (address: string) => ({ app: 'large', address, user: '' })
const rows = (bytes: number) => [{ data: 'x'.repeat(bytes) }]

it('large answers are made one after the other, and small ones do not wait for them', async () => {
  const events: string[] = []
  const make = (name: string, bytes: number) =>
    presentInTurn(rows(bytes), party(name), async () => {
      events.push(`${name} begins`)
      if (bytes > MB) await sleep(20)
      events.push(`${name} ends`)
    })
  await Promise.all([make('first', 2 * MB), make('second', 2 * MB), make('small', 1000)])
  expect(events).toEqual(['small begins', 'small ends', 'first begins', 'first ends', 'second begins', 'second ends'])
})

it('what is in memory for an address is bounded, and nothing more is read for it then', async () => {
  const end = new AbortController()
  const present = async () => {
    if (!end.signal.aborted) await once(end.signal, 'abort')
  }
  const held = Array.from({ length: 4 }, () => presentInTurn(rows(6 * MB), party('a'), present))
  await expect(presentInTurn(rows(6 * MB), party('a'), present)).rejects.toThrow('Too many requests.')
  expect(() => checkRoom(party('a'), 1)).toThrow('Too many requests.')
  expect(() => checkRoom(party('b'), 6 * MB)).not.toThrow()
  end.abort()
  await Promise.all(held)
  expect(() => checkRoom(party('a'), 6 * MB)).not.toThrow()
})

it('an answer that cannot be made leaves the turn to the next', async () => {
  const failing = presentInTurn(rows(MB), party('a'), () => Promise.reject(new Error('no answer')))
  await expect(failing).rejects.toThrow('no answer')
  expect(await presentInTurn(rows(MB), party('a'), async () => 'answer')).toBe('answer')
})
