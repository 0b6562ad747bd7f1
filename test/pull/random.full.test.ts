import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { Random } from '../crash/campaign/random.ts'
import type { TestApp } from '../support/app.ts'
import { everything, makePull } from './pulls.ts'
import type { Treatment } from './source-proxy.ts'

/** Another seed: HOMEPORT_TEST_SEED=7 npx vitest run test/pull/random.full.test.ts */
const SEED = Number(process.env.HOMEPORT_TEST_SEED ?? 20270112)
const MISHAPS: readonly Treatment[] = ['busy', 'failing', 'closed', 'broken off', 'slow']
const CHANGES = 40

const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
/** The time of the last message. */
const lm = { __type: 'Date', iso: '2020-09-13T12:26:40.366Z' }
const idOf = (n: number) => `o${String(n).padStart(5, '0')}`
const objects = (count: number, text: string) =>
  Array.from({ length: count }, (_, n) => ({ objectId: idOf(n), ...times, n, text }))

describe(`a source that misbehaves and changes, with seed ${SEED}`, { timeout: 300_000 }, () => {
  test('is pulled, followed, interrupted and compared, and both sides end up equal', async () => {
    const random = new Random(SEED)
    const pull = await makePull(true)
    const { source, target, proxy } = pull
    const things = objects(1500, 'x'.repeat(5000))
    await pull.fill('Thing', things)
    await pull.fill('List', objects(3, 'list'))
    await pull.fill('Tag', objects(400, 'tag'))
    await pull.fill('_Conversation', [{ objectId: 'talk', ...times, m: ['ann', 'bob'], lm }])
    await source.sql(
      `INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
      SELECT 'talk', 1600000000000 + n / 3, 'm' || n, 'talk', 'bob', 'message ' || n, false, false, false
      FROM generate_series(1, 1100) AS n`,
    )
    for (const name of ['ann', 'bob', 'cat', 'dan', 'eve']) await source.makeUser(name)
    const change = makeChange(source, random)
    await change('tags', 0, true)
    let left = CHANGES
    let made = 0
    proxy.misbehave(async () => {
      if (left > 0 && random.chance(0.3)) {
        left--
        const kind = random.pick(['make', 'update', 'update', 'delete', 'tags'] as const)
        await change(kind, random.between(0, things.length - 1), random.chance(0.6))
        made++
      }
      return random.chance(0.15) ? random.pick(MISHAPS) : undefined
    })
    const fromSource = ['--files-from', `${source.url}/files/${source.appId}`]
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const child = pull.begin(...fromSource, '--follow', '--every', '0.1', '--parallel', '3', '--until', until)
    const ended = once(child, 'exit')
    await vi.waitFor(() => expect([made, child.exitCode]).toEqual([CHANGES, null]), { timeout: 200_000, interval: 50 })
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    const { code, stdout } = await pull.run(...fromSource, '--compare-ids', '--allow-many-deletions')
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('were not pulled')])
    for (const className of ['Thing', 'List', 'Tag', '_User', '_Conversation'])
      expect(await everything(target, className)).toEqual(await everything(source, className))
    const rows = async (app: typeof source, statement: string) => (await app.sql(statement)).rows
    for (const statement of [
      'SELECT owner_class, field, owner_id, related_id FROM "$relations" ORDER BY 1, 2, 3, 4',
      'SELECT thread, ts, id, conv_id, sender, content FROM "$messages" ORDER BY ts, id',
      'SELECT user_id, password, session_token FROM "$credentials" ORDER BY 1',
    ])
      expect(await rows(target, statement)).toEqual(await rows(source, statement))
  })
})

type Kind = 'make' | 'update' | 'delete' | 'tags'

/** Returns a function that makes random changes in the source during a pull. */
function makeChange({ request }: TestApp, random: Random) {
  const send = (method: string, path: string, body?: object) => request(method, path, { master: true, body })
  return (kind: Kind, n: number, adds: boolean): Promise<unknown> => {
    switch (kind) {
      case 'make':
        return send('POST', '/1.1/classes/Thing', { n: -n })
      case 'update':
        return send('PUT', `/1.1/classes/Thing/${idOf(n)}`, { n: -n })
      case 'delete':
        return send('DELETE', `/1.1/classes/Thing/${idOf(n)}`)
      case 'tags': {
        const begin = random.between(0, 300)
        const pointers = Array.from({ length: 80 }, (_, one) => ({
          __type: 'Pointer',
          className: 'Tag',
          objectId: idOf(begin + one),
        }))
        const __op = adds ? 'AddRelation' : 'RemoveRelation'
        return send('PUT', `/1.1/classes/List/${idOf(n % 3)}`, { tags: { __op, objects: pointers } })
      }
    }
  }
}
