import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'
import { makeFriends, type Person, pointerTo } from '../support/friends.ts'

const app = await makeApp()
const friends = makeFriends(app)
const { follow, people } = friends

/** Returns the other users of the rows of a list, ordered by id. */
async function others(list: string, of: Person, seenBy?: Person, query = {}): Promise<string[]> {
  const field = list === 'followers' ? 'follower' : 'followee'
  const { status, body } = await friends.list(list, of, seenBy, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.results.map((row: Record<string, { objectId: string }>) => row[field]!.objectId).sort()
}

/** Counts the rows of a class that involve two users. */
async function rowsOf(className: '_Followee' | '_Follower', ...[ann, bob]: Person[]): Promise<number> {
  const both = [ann!.id, bob!.id]
  return (await friends.stored(className)).filter((row) => row.every((id) => both.includes(id))).length
}

const find = (className: string, where: object, options: RequestOptions) =>
  app.request('GET', `/1.1/classes/${className}`, { query: { where: JSON.stringify(where) }, ...options })

describe('a follow', () => {
  it('returns {} and creates a row in each of both classes', async () => {
    const [ann, bob] = (await people(2)) as [Person, Person]
    expect(await follow(ann, bob, { score: 100 })).toMatchObject({ status: 200, body: {} })
    const [row] = (await find('_Followee', { user: pointerTo(ann) }, { session: ann.session })).body.results
    expect(Object.keys(row).sort()).toEqual(['createdAt', 'followee', 'objectId', 'score', 'updatedAt', 'user'])
    expect(row).toMatchObject({ user: pointerTo(ann), followee: pointerTo(bob), score: 100 })
    const [seen] = (await find('_Follower', { user: pointerTo(bob) }, { session: bob.session })).body.results
    expect(seen).toMatchObject({ user: pointerTo(bob), follower: pointerTo(ann), score: 100 })
  })

  it.each([
    ['of a user that is not there', 'missing', 400, 211],
    ['of oneself', 'self', 400, 1],
    ['of what is no id', 'a%20b', 400, 104],
  ])('%s is rejected, and nothing is written', async (_what, target, status, code) => {
    const [ann] = (await people(1)) as [Person]
    const id = target === 'self' ? ann.id : target
    const reply = await app.request('POST', `/1.1/users/self/friendship/${id}`, { session: ann.session })
    expect(reply).toMatchObject({ status, body: { code } })
    expect((await friends.stored('_Followee')).flat()).not.toContain(ann.id)
  })

  it('requires the session of the follower or the master key', async () => {
    const [ann, bob, eve] = (await people(3)) as [Person, Person, Person]
    const path = `/1.1/users/${ann.id}/friendship/${bob.id}`
    for (const method of ['POST', 'PUT', 'DELETE']) {
      for (const options of [{}, { session: eve.session }, { session: bob.session }])
        expect(await app.request(method, path, options)).toMatchObject({ status: 403, body: { code: 206 } })
      expect(await app.request(method, `/1.1/users/self/friendship/${bob.id}`)).toMatchObject({ body: { code: 206 } })
    }
    expect(await rowsOf('_Followee', ann, bob)).toBe(0)
    expect(await app.request('POST', path, { master: true })).toMatchObject({ status: 200 })
    expect(await others('followers', bob, bob)).toEqual([ann.id])
  })

  it.each([
    ['a field that the server sets', { user: 1 }, 119],
    ['the state of a friendship', { friendStatus: true }, 119],
    ['a part of it', { 'followee.objectId': 'x' }, 119],
    ['a list', ['a'], 107],
    ['more than 128 KB', { note: 'x'.repeat(140_000) }, 116],
    ['a name that is no field', { 'a-b': 1 }, 105],
    ['an ACL that is none', { ACL: { '*': true } }, 123],
  ])('rejects %s as attributes', async (_what, attributes, code) => {
    const [ann, bob] = (await people(2)) as [Person, Person]
    expect(await follow(ann, bob, attributes)).toMatchObject({ status: 400, body: { code } })
    expect(await rowsOf('_Followee', ann, bob)).toBe(0)
  })

  it('accepts a null body', async () => {
    const [ann, bob] = (await people(2)) as [Person, Person]
    const path = `/1.1/users/self/friendship/${bob.id}`
    expect(await app.request('POST', path, { session: ann.session, body: 'null' })).toMatchObject({ status: 200 })
    expect(await app.request('DELETE', path, { session: ann.session, body: 'null' })).toMatchObject({ status: 200 })
  })

  it('updates its attributes in both rows, at the top level or within friendship', async () => {
    const [ann, bob, cy] = (await people(3)) as [Person, Person, Person]
    await follow(ann, bob, { level: 1 })
    const change = (body: object, who = bob) =>
      app.request('PUT', `/1.1/users/${ann.id}/friendship/${who.id}`, { session: ann.session, body })
    const { status, body } = await change({ level: { __op: 'Increment', amount: 2 } })
    expect([status, Object.keys(body).sort()]).toEqual([200, ['objectId', 'updatedAt']])
    await change({ friendship: { remark: 'b' } })
    for (const [className, who, field] of [
      ['_Followee', ann, 'user'],
      ['_Follower', ann, 'follower'],
    ] as const) {
      const { results } = (await find(className, { [field]: pointerTo(who) }, { session: ann.session })).body
      expect(results).toMatchObject([{ level: 3, remark: 'b' }])
    }
    expect(await change({ level: 2 }, cy)).toMatchObject({ status: 400, body: { code: 221 } })
    expect(await change({ friendStatus: true })).toMatchObject({ body: { code: 119 } })
  })

  it('ends in both classes, and only for existing follows', async () => {
    const [ann, bob] = (await people(2)) as [Person, Person]
    await follow(ann, bob)
    await follow(bob, ann)
    expect(await friends.unfollow(ann, bob)).toMatchObject({ status: 200, body: {} })
    expect(await friends.unfollow(ann, bob)).toMatchObject({ status: 400, body: { code: 221 } })
    expect([await rowsOf('_Followee', ann, bob), await rowsOf('_Follower', ann, bob)]).toEqual([1, 1])
    expect(await others('followees', bob, bob)).toEqual([ann.id])
  })
})

describe('a list', () => {
  it('shows other users only the rows that name them', async () => {
    const [ann, bob, eve] = (await people(3)) as [Person, Person, Person]
    await follow(ann, bob)
    await follow(eve, bob)
    expect(await others('followers', bob, bob)).toEqual([ann.id, eve.id].sort())
    expect(await others('followers', bob, eve)).toEqual([eve.id])
    expect(await others('followees', ann, eve)).toEqual([])
    expect(await others('followers', bob)).toEqual([])
    const counts = await friends.list('followersAndFollowees', bob, eve, { count: '1', limit: '0' })
    expect(counts.body).toEqual({ followers: [], followees: [], followers_count: 1, followees_count: 0 })
  })

  it('is a query: condition, order, page, keys, count', async () => {
    const [ann, ...stars] = (await people(5)) as [Person, ...Person[]]
    for (const [rank, star] of stars.entries()) await follow(ann, star, { rank })
    const query = { where: '{"rank":{"$gt":0}}', order: '-rank', limit: '2', skip: '1', keys: 'rank', count: '1' }
    const { body } = await friends.list('followees', ann, ann, query)
    expect(body.count).toBe(3)
    expect(body.results.map(({ rank }: { rank: number }) => rank)).toEqual([2, 1])
    expect(body.results[0]).not.toHaveProperty('followee')
  })

  it('of mutual followees contains only mutual rows, without users', async () => {
    const [ann, bob, cy, dan] = (await people(4)) as [Person, Person, Person, Person]
    for (const other of [bob, cy, dan]) await follow(ann, other, { about: other.id })
    for (const other of [bob, dan]) await follow(other, ann)
    expect(await others('mutualFollowees', ann, ann)).toEqual([bob.id, dan.id].sort())
    const where = JSON.stringify({ about: dan.id })
    const { body } = await friends.list('mutualFollowees', ann, ann, { where, include: 'followee', count: '1' })
    expect(body.count).toBe(1)
    expect(Object.keys(body.results[0]).sort()).toEqual(['about', 'createdAt', 'followee', 'objectId', 'updatedAt'])
    expect(body.results[0].followee).toHaveProperty('username')
    // Bob sees only rows that involve him, and an anonymous caller none.
    expect(await others('mutualFollowees', ann, bob)).toEqual([bob.id])
    expect(await others('mutualFollowees', ann)).toEqual([])
  })

  it('of mutual followees excludes users with a pending request', async () => {
    const [ann, bob] = (await people(2)) as [Person, Person]
    await friends.request(ann, bob, { about: 'x' })
    await follow(bob, ann)
    expect(await others('followees', ann, ann)).toEqual([bob.id])
    expect(await others('mutualFollowees', ann, ann)).toEqual([])
  })

  it('of the current user requires a session', async () => {
    for (const name of ['friends', 'friendBlocklist', 'followers', 'followersAndFollowees', 'mutualFollowees'])
      expect(await app.request('GET', `/1.1/users/self/${name}`)).toMatchObject({ status: 403, body: { code: 206 } })
  })
})

describe('an object of a friendship class', () => {
  const rowIn = async (className: string, where: object, { session }: Person) =>
    (await find(className, where, { session })).body.results[0].objectId as string

  it.each(['_Followee', '_Follower', '_FriendshipRequest'])(
    'of %s cannot be created by a client',
    async (className) => {
      const [ann, bob] = (await people(2)) as [Person, Person]
      const body = { user: pointerTo(bob), followee: pointerTo(ann), follower: pointerTo(ann), friend: pointerTo(ann) }
      const path = `/1.1/classes/${className}`
      expect(await app.request('POST', path, { session: ann.session, body })).toMatchObject({ body: { code: 119 } })
      const batch = {
        requests: [
          { method: 'POST', path, body },
          { method: 'POST', path, body },
        ],
      }
      const { body: items } = await app.request('POST', '/1.1/batch', { session: ann.session, body: batch })
      expect(items).toMatchObject([{ error: { code: 119 } }, { error: { code: 119 } }])
    },
  )

  it('cannot be transferred to another user', async () => {
    const [ann, bob, cy] = (await people(3)) as [Person, Person, Person]
    await follow(ann, bob)
    const path = `/1.1/classes/_Followee/${await rowIn('_Followee', { user: pointerTo(ann) }, ann)}`
    for (const body of [{ user: pointerTo(cy) }, { followee: pointerTo(cy) }, { friendStatus: true }])
      for (const { session } of [ann, bob])
        expect(await app.request('PUT', path, { session, body })).toMatchObject({ status: 400, body: { code: 119 } })
  })

  it('can be changed and deleted only by its two users, with both rows', async () => {
    const [ann, bob, eve] = (await people(3)) as [Person, Person, Person]
    await follow(ann, bob)
    const path = `/1.1/classes/_Follower/${await rowIn('_Follower', { user: pointerTo(bob) }, bob)}`
    for (const options of [{}, { session: eve.session }]) {
      const body = { color: 'red' }
      expect(await app.request('PUT', path, { ...options, body })).toMatchObject({ status: 403, body: { code: 403 } })
      expect(await app.request('DELETE', path, options)).toMatchObject({ status: 403, body: { code: 403 } })
    }
    const changed = await app.request('PUT', path, {
      session: bob.session,
      body: { color: 'green' },
      query: { new: 'true' },
    })
    expect(changed).toMatchObject({ status: 200, body: { color: 'green' } })
    const [row] = (await find('_Followee', { user: pointerTo(ann) }, { session: ann.session })).body.results
    expect(row).toMatchObject({ color: 'green' })
    expect(await app.request('DELETE', path, { session: bob.session })).toMatchObject({ status: 200 })
    expect([await rowsOf('_Followee', ann, bob), await rowsOf('_Follower', ann, bob)]).toEqual([0, 0])
  })
})

describe('settings', () => {
  it('make followees follow back', async () => {
    const own = await makeApp()
    const they = makeFriends(own)
    await own.admin('PATCH', '/settings', { friendship: { followBack: true } })
    const [ann, bob] = (await they.people(2)) as [Person, Person]
    await they.follow(ann, bob, { level: 1 })
    expect(await they.stored('_Followee')).toHaveLength(2)
    expect((await they.list('followers', ann, ann)).body.results).toMatchObject([{ follower: pointerTo(bob) }])
    expect((await they.list('followers', ann, ann)).body.results[0]).not.toHaveProperty('level')
  })

  it('control read and write access to a follow', async () => {
    const own = await makeApp()
    const they = makeFriends(own)
    const [ann, bob, eve] = (await they.people(3)) as [Person, Person, Person]
    const seen = async (by?: Person) => (await they.list('followers', bob, by)).body.results.length
    await own.admin('PATCH', '/settings', { friendship: { friendshipAcl: { read: 'user', write: 'user' } } })
    await they.follow(ann, bob)
    expect([await seen(ann), await seen(bob), await seen(eve), await seen()]).toEqual([1, 0, 0, 0])
    expect((await they.list('mutualFollowees', ann, bob)).body.results).toEqual([])
    await own.admin('PATCH', '/settings', { friendship: { friendshipAcl: { read: 'everyone', write: 'both' } } })
    await they.follow(eve, bob)
    expect([await seen(ann), await seen(bob), await seen(eve), await seen()]).toEqual([2, 1, 1, 1])
    expect(await own.admin('PATCH', '/settings', { friendship: { friendshipAcl: { read: 'nobody' } } })).toMatchObject({
      status: 400,
    })
  })

  it('of the classes apply to follows and lists', async () => {
    const own = await makeApp()
    const they = makeFriends(own)
    const [ann, bob] = (await they.people(2)) as [Person, Person]
    const close = (className: string, permissions: object) =>
      own.admin('PATCH', `/classes/${className}`, { permissions })
    await close('_Follower', { addField: 'master' })
    expect(await they.follow(ann, bob, { level: 1 })).toMatchObject({ status: 403 })
    await they.follow(ann, bob)
    await close('_Follower', { delete: 'master', find: 'master' })
    expect(await they.unfollow(ann, bob)).toMatchObject({ status: 403 })
    for (const list of ['followers', 'followersAndFollowees', 'mutualFollowees'])
      expect(await they.list(list, ann, ann)).toMatchObject({ status: 403 })
    await close('_Followee', { create: 'master' })
    expect(await they.follow(bob, ann)).toMatchObject({ status: 403 })
    expect(await they.stored('_Followee')).toEqual([[ann.id, bob.id]])
  })
})

describe('a deleted user', () => {
  it('appears in no list, request or block, and cannot be followed', async () => {
    const [ann, bob, cy] = (await people(3)) as [Person, Person, Person]
    await follow(ann, bob)
    await follow(bob, ann)
    await friends.request(ann, bob, { about: 'x' })
    await friends.request(cy, ann)
    await friends.block(cy, ann)
    await friends.block(ann, cy)
    await app.request('DELETE', `/1.1/users/${ann.id}`, { session: ann.session })
    const left = async () => {
      const classes = ['_Followee', '_Follower', '_FriendshipRequest', '_Blocklist'] as const
      return (await Promise.all(classes.map(friends.stored))).flat(2).filter((id) => id === ann.id)
    }
    await expect.poll(left, { timeout: 60_000 }).toEqual([])
    expect(await follow(bob, ann)).toMatchObject({ status: 400, body: { code: 211 } })
  })
})
