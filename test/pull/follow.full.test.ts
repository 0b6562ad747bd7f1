import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { everything, makePull } from './pulls.ts'

const pull = await makePull()

describe('a following pull', { timeout: 120_000 }, () => {
  test('copies concurrent writes, ends on time, and removes objects deleted meanwhile', async () => {
    const notes = Array.from({ length: 6 }, (_, n) => ({ objectId: `note${n}`, n }))
    await pull.fill('Note', [{ objectId: 'first', n: 1 }, ...notes])
    const child = pull.begin('--follow', '--every', '0.2', '--until', new Date(Date.now() + 25_000).toISOString())
    const ended = once(child, 'exit')
    const here = async () => (await pull.target.request('GET', '/1.1/classes/Note')).body.results ?? []
    await vi.waitFor(async () => expect(await here()).toHaveLength(7), { timeout: 60_000 })
    await pull.source.request('POST', '/1.1/classes/Note', { body: { n: 2 } })
    await pull.source.request('DELETE', '/1.1/classes/Note/note3', { master: true })
    await pull.source.request('PUT', '/1.1/classes/Note/first', { master: true, body: { n: 3 } })
    await vi.waitFor(async () => expect(await here()).toHaveLength(8), { timeout: 60_000 })
    expect((await ended)[0]).toBe(0)
    expect(await everything(pull.target, 'Note')).toEqual(await everything(pull.source, 'Note'))
  })
})
