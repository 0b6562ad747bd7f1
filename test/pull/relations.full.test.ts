import { describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { makePull, type Pull } from './pulls.ts'

const OWNERS = 40
const FANS = 250

/** Creates objects with two members each; the first has all members, the last none. */
async function filled(): Promise<Pull> {
  const pull = await makePull()
  const id = (prefix: string, n: number) => `${prefix}${String(n).padStart(4, '0')}`
  const likes = { __type: 'Relation', className: 'Fan' }
  const owners = Array.from({ length: OWNERS }, (_, n) => ({ objectId: id('o', n), n, likes }))
  await pull.fill('Post', owners)
  await pull.fill(
    'Fan',
    Array.from({ length: FANS }, (_, n) => ({ objectId: id('f', n), n })),
  )
  await pull.source.sql(
    `INSERT INTO "$relations" (owner_class, field, owner_id, related_id)
    SELECT 'Post', 'likes', 'o' || lpad(owner::text, 4, '0'), 'f' || lpad(fan::text, 4, '0')
    FROM generate_series(0, ${OWNERS - 2}) AS owner, generate_series(0, ${FANS - 1}) AS fan
    WHERE owner = 0 OR (fan + owner) % 125 = 0`,
  )
  return pull
}

async function membersIn(app: TestApp) {
  const { rows } = await app.sql('SELECT owner_id, related_id FROM "$relations" WHERE field = $1 ORDER BY 1, 2', [
    'likes',
  ])
  return rows
}

const forMembers = ({ proxy }: Pull) => proxy.requested.filter((path) => /relatedTo|\/batch/.test(path))

describe('the members of a relation', { timeout: 600_000 }, () => {
  test('of twenty objects take one request', async () => {
    const pull = await filled()
    expect((await pull.run()).code).toBe(0)
    const members = await membersIn(pull.target)
    expect(members).toHaveLength(FANS + (OWNERS - 2) * 2)
    expect(members).toEqual(await membersIn(pull.source))
    // Twenty objects per request, one separate request to verify the batch results, and one for members beyond a batch item.
    expect(forMembers(pull).length).toBe(OWNERS / 20 + 2)
  })

  test('are requested per object when the source supports no batches', async () => {
    const pull = await filled()
    pull.proxy.misbehave((path) => (path.startsWith('/1.1/batch') ? 'expired' : undefined))
    expect((await pull.run()).code).toBe(0)
    expect(await membersIn(pull.target)).toEqual(await membersIn(pull.source))
    expect(forMembers(pull).length).toBe(OWNERS + 1)
  })

  test('are complete when a batch is lost', async () => {
    const pull = await filled()
    let batches = 0
    pull.proxy.misbehave((path) => (path.startsWith('/1.1/batch') && ++batches % 2 === 1 ? 'broken off' : undefined))
    expect((await pull.run()).code).toBe(0)
    expect(await membersIn(pull.target)).toEqual(await membersIn(pull.source))
    expect(batches).toBe((OWNERS / 20) * 2)
  })

  type Item = { success: { results: object[]; count: number } }
  /** Unusual responses to batch items; single queries work normally. */
  const oddities: readonly [what: string, change: (items: Item[]) => unknown][] = [
    ['errors', (items) => items.map((item, n) => (n % 3 === 0 ? { error: { code: 1, error: 'No.' } } : item))],
    ['nothing', (items) => items.map((item, n) => (n % 3 === 0 ? null : item))],
    ['no success', (items) => items.map((item, n) => (n % 3 === 0 ? { success: null } : item))],
    [
      'empty lists that count members',
      (items) => items.map(({ success }) => ({ success: { ...success, results: [] } })),
    ],
    ['empty lists', (items) => items.map(() => ({ success: { results: [], count: 0 } }))],
    [
      'lists that were cut off',
      (items) => items.map(({ success }) => ({ success: { ...success, results: success.results.slice(0, 1) } })),
    ],
    [
      'lists that do not say how many there are',
      (items) => items.map(({ success }) => ({ success: { results: success.results.slice(0, 1) } })),
    ],
    ['members of somebody else', (items) => items.map((_, n) => items[(n + 1) % items.length])],
    ['fewer answers than questions', (items) => items.filter((_, n) => n !== 1)],
    ['objects without ids', (items) => items.map(({ success }) => ({ success: { ...success, results: [{}] } }))],
    ['no list at all', () => ({ results: [] })],
  ]
  test('are complete whatever a batch returns', async () => {
    const pull = await filled()
    const wanted = await membersIn(pull.source)
    for (const [what, change] of oddities) {
      pull.proxy.misbehave((path) => (path.startsWith('/1.1/batch') ? change : undefined))
      await pull.target.sql('DELETE FROM "$relations"')
      expect([what, (await pull.run('--again')).code]).toEqual([what, 0])
      expect([what, await membersIn(pull.target)]).toEqual([what, wanted])
    }
  })

  test('that the source counts but does not return fail the pull, and are not removed here', async () => {
    const pull = await filled()
    expect((await pull.run()).code).toBe(0)
    const wanted = await membersIn(pull.target)
    const isOfOne = (path: string) => path.startsWith('/1.1/classes/Fan') && path.includes('"objectId":"o0000"')
    pull.proxy.misbehave((path) => {
      if (path.startsWith('/1.1/batch')) return 'expired'
      return isOfOne(path) ? (answer: object) => ({ ...answer, results: [] }) : undefined
    })
    const { code, stderr } = await pull.run('--again', '--compare-ids')
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not return all members of Post.likes of o0000')])
    expect(await membersIn(pull.target)).toEqual(wanted)
  })
})
