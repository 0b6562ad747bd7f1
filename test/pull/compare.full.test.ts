import { describe, expect, test } from 'vitest'
import { everything, makePull } from './pulls.ts'

const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
const objects = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ objectId: `o${String(n).padStart(5, '0')}`, ...times, n }))

describe('a comparing pull', { timeout: 180_000 }, () => {
  test('removes objects deleted at the source, but not those created here or changed here later', async () => {
    const pull = await makePull()
    const { source, target } = pull
    await pull.fill('Post', objects(1200))
    const ann = await source.makeUser('ann')
    expect((await pull.run()).code).toBe(0)
    const made = await target.request('POST', '/1.1/classes/Post', { master: true, body: { n: -1 } })
    const gone = ['classes/Post/o00003', 'classes/Post/o00999', 'classes/Post/o01199', `users/${ann.id}`]
    for (const path of gone) await source.request('DELETE', `/1.1/${path}`, { master: true })
    await target.request('PUT', '/1.1/classes/Post/o00999', { master: true, body: { n: -2 } })
    expect((await pull.run()).code).toBe(0)
    expect((await everything(target, 'Post')).size).toBe(1201)
    const refused = await pull.run('--compare-ids')
    // The only user is more than a fifth of all users.
    expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('--allow-many-deletions')])
    expect((await everything(target, '_User')).size).toBe(1)
    const here = await everything(target, 'Post')
    expect([here.has('o00003'), here.has('o00999'), here.has('o01199')]).toEqual([false, true, false])
    expect(here.has(made.body.objectId)).toBe(true)
    expect((await pull.report()).removed.Post).toEqual({ removed: 2, kept: 1, refusal: null })
    expect((await pull.run('--compare-ids', '--allow-many-deletions')).code).toBe(0)
    expect((await everything(target, '_User')).size).toBe(0)
    expect((await target.sql('SELECT * FROM "$credentials"')).rows).toEqual([])
  })

  test('removes members removed at the source, and keeps those added here', async () => {
    const pull = await makePull()
    const { source, target } = pull
    await pull.fill('Fan', objects(1100))
    await pull.fill('Post', [{ objectId: 'post', ...times }])
    const pointers = (ids: readonly string[]) =>
      ids.map((objectId) => ({ __type: 'Pointer', className: 'Fan', objectId }))
    const change = (app: typeof source, __op: string, ids: readonly string[]) =>
      app.request('PUT', '/1.1/classes/Post/post', { master: true, body: { likes: { __op, objects: pointers(ids) } } })
    const ids = objects(1099).map(({ objectId }) => objectId)
    for (const begin of [0, 400, 800]) await change(source, 'AddRelation', ids.slice(begin, begin + 400))
    expect((await pull.run()).code).toBe(0)
    await change(target, 'AddRelation', ['o01099'])
    await change(source, 'RemoveRelation', ['o00000', 'o00500', 'o01098'])
    expect((await pull.run('--compare-ids')).code).toBe(0)
    const members = async (app: typeof source) =>
      (await app.sql('SELECT related_id FROM "$relations" ORDER BY 1')).rows.map((row) => row.related_id)
    expect(await members(target)).toEqual([...(await members(source)), 'o01099'])
    expect((await pull.report()).removed['Post.likes']).toEqual({ removed: 3, kept: 0, refusal: null })
  })

  test('removes no object that the source returns on a second request', async () => {
    const pull = await makePull()
    await pull.fill('Post', objects(30))
    expect((await pull.run()).code).toBe(0)
    let hidden = 0
    pull.proxy.misbehave((path) => {
      if (!path.includes('classes/Post?') || !path.includes('keys=objectId') || path.includes('$in')) return undefined
      return hidden++ === 0 ? 'first left out' : undefined
    })
    expect((await pull.run('--compare-ids')).code).toBe(0)
    expect(hidden).toBeGreaterThan(0)
    expect((await pull.report()).removed.Post).toEqual({ removed: 0, kept: 0, refusal: null })
    expect((await everything(pull.target, 'Post')).size).toBe(30)
    expect((await pull.target.sql('SELECT * FROM "$missing_at_source"')).rows).toEqual([])
  })

  test('removes only objects that a comparison found missing, whatever it is requested to remove', async () => {
    const pull = await makePull()
    await pull.fill('Post', objects(3))
    expect((await pull.run()).code).toBe(0)
    const part = { source: pull.source.appId, className: 'Post', field: null }
    const gone = [{ owningId: null, id: 'o00001' }]
    const { body } = await pull.target.admin('POST', '/pulls/removals', { part, gone, found: [] })
    expect(body).toEqual({ removed: 0, kept: [] })
    expect((await everything(pull.target, 'Post')).size).toBe(3)
  })
})
