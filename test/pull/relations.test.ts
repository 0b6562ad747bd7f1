import { describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { makePull, type Pull } from './pulls.ts'

const OWNERS = 120
const FANS = 450

/** Objects with three members each; the first has as many as there are, the last none. */
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
    WHERE owner = 0 OR (fan + owner) % 150 = 0`,
  )
  return pull
}

async function membersIn(app: TestApp) {
  const { rows } = await app.sql('SELECT owner_id, related_id FROM "$relations" WHERE field = $1 ORDER BY 1, 2', [
    'likes',
  ])
  return rows
}

const forMembers = ({ proxy }: Pull) => proxy.asked.filter((path) => /relatedTo|\/batch/.test(path))

describe('the members of a relation', { timeout: 180_000 }, () => {
  test('of twenty objects cost one request', async () => {
    const pull = await filled()
    const { code, stderr } = await pull.run()
    expect([code, stderr]).toEqual([0, ''])
    const members = await membersIn(pull.target)
    expect(members).toHaveLength(FANS + (OWNERS - 2) * 3)
    expect(members).toEqual(await membersIn(pull.source))
    // Twenty objects each, and what the first has beyond what a batch takes of it.
    expect(forMembers(pull).length).toBe(OWNERS / 20 + 1)
  })

  test('are asked for object by object where the source takes no batch', async () => {
    const pull = await filled()
    pull.proxy.misbehave((path) => (path.startsWith('/1.1/batch') ? 'expired' : undefined))
    expect((await pull.run()).code).toBe(0)
    expect(await membersIn(pull.target)).toEqual(await membersIn(pull.source))
    expect(forMembers(pull).length).toBe(OWNERS + 1)
  })

  test('are whole where a batch is lost on its way', async () => {
    const pull = await filled()
    let batches = 0
    pull.proxy.misbehave((path) => (path.startsWith('/1.1/batch') && ++batches % 2 === 1 ? 'broken off' : undefined))
    expect((await pull.run()).code).toBe(0)
    expect(await membersIn(pull.target)).toEqual(await membersIn(pull.source))
    expect(batches).toBe((OWNERS / 20) * 2)
  })
})
