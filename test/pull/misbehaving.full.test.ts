import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { everything, makePull } from './pulls.ts'
import type { Treatment } from './source-proxy.ts'

const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }

function large(count: number) {
  const id = (n: number) => `o${String(n).padStart(6, '0')}`
  return Array.from({ length: count }, (_, n) => ({ objectId: id(n), ...times, n, text: `${n} `.repeat(1500) }))
}

describe('a misbehaving source', { timeout: 240_000 }, () => {
  test('gets smaller requests when it truncates, is waited for when busy, and retried when it fails', async () => {
    const pull = await makePull()
    await pull.fill('Large', large(1700))
    const mishaps: Treatment[] = ['busy', 'closed', undefined, 'failing', 'broken off', undefined, 'slow', undefined]
    pull.proxy.misbehave((_, number) => mishaps[number % mishaps.length])
    const { code, stdout } = await pull.run('--parallel', '3')
    expect([code, stdout]).toEqual([0, expect.stringContaining('passwords')])
    expect(await everything(pull.target, 'Large')).toEqual(await everything(pull.source, 'Large'))
    const limits = pull.proxy.requested.flatMap((path) => /classes\/Large.*limit=(\d+)/.exec(path)?.[1] ?? [])
    expect(new Set(limits).size).toBeGreaterThan(2)
    expect((await pull.report()).counts.Large).toMatchObject({ read: 1700, created: 1700, existing: 0 })
  })

  test('can return fewer objects than requested', async () => {
    const pull = await makePull()
    const objects = Array.from({ length: 250 }, (_, n) => ({ objectId: `s${String(n).padStart(3, '0')}`, ...times, n }))
    await pull.fill('Short', objects)
    const isPage = (path: string) => path.startsWith('/1.1/classes/Short') && !path.includes('count=1')
    const first100 = (answer: { results: object[] }) => ({ ...answer, results: answer.results.slice(0, 100) })
    pull.proxy.misbehave((path) => (isPage(path) ? first100 : undefined))
    expect((await pull.run()).code).toBe(0)
    expect(await everything(pull.target, 'Short')).toEqual(await everything(pull.source, 'Short'))
  })

  test('can change and delete objects meanwhile: remaining ones are copied, and changes come with the next pull', async () => {
    const pull = await makePull()
    await pull.fill('Moving', large(1500))
    let changed = false
    pull.proxy.misbehave(async (path) => {
      if (changed || !path.includes('$gt')) return undefined
      changed = true
      const change = (method: string, id: string, body?: object) =>
        pull.source.request(method, `/1.1/classes/Moving/${id}`, { master: true, body })
      await change('PUT', 'o000001', { n: -1 })
      await change('PUT', 'o001400', { n: -2 })
      await change('DELETE', 'o001401')
      await pull.source.request('POST', '/1.1/classes/Moving', { master: true, body: { n: -3 } })
      return undefined
    })
    expect((await pull.run()).code).toBe(0)
    expect(changed).toBe(true)
    expect((await pull.run()).code).toBe(0)
    expect(await everything(pull.target, 'Moving')).toEqual(await everything(pull.source, 'Moving'))
  })

  test('a pull killed at any time resumes with the same result', async () => {
    const pull = await makePull()
    await pull.fill('Killed', large(1500))
    await pull.fill('Another', large(30))
    const written = async () => {
      const { rows } = await pull.target
        .sql('SELECT count(*)::int AS n FROM "Killed"')
        .catch(() => ({ rows: [{ n: 0 }] }))
      return rows[0].n as number
    }
    for (const moment of [0, 1, 400, 800]) {
      const child = pull.begin()
      const ended = once(child, 'exit')
      while (child.exitCode === null && (await written()) < moment) await sleep(5)
      if (moment === 0) await sleep(700)
      child.kill('SIGKILL')
      await ended
    }
    expect(await written()).toBeLessThan(1500)
    const { code } = await pull.run()
    expect(code).toBe(0)
    for (const className of ['Killed', 'Another'])
      expect(await everything(pull.target, className)).toEqual(await everything(pull.source, className))
    const { counts } = await pull.report()
    expect(counts.Killed).toEqual({ read: 1500, created: 1500, updated: 0, existing: 0, rejected: 0 })
  })

  test('a resumed pull also copies changes made behind the interrupted one', async () => {
    const pull = await makePull()
    await pull.fill('Passed', large(1500))
    await pull.fill('Held', [{ objectId: 'holder', ...times }])
    let child: ChildProcess | undefined
    pull.proxy.misbehave((path) => {
      if (path.startsWith('/1.1/classes/Passed') && path.includes('$gt')) child?.kill('SIGKILL')
      return undefined
    })
    child = pull.begin()
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
    const change = {
      n: -1,
      held: { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: 'Held', objectId: 'holder' }] },
    }
    const changed = await pull.source.request('PUT', '/1.1/classes/Passed/o000001', { master: true, body: change })
    expect(changed.status).toBe(200)
    expect((await pull.run()).code).toBe(0)
    expect(await everything(pull.target, 'Passed')).toEqual(await everything(pull.source, 'Passed'))
    expect((await pull.target.sql('SELECT owner_id FROM "$relations"')).rows).toEqual([{ owner_id: 'o000001' }])
  })
})
