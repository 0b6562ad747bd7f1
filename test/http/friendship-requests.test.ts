import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeFriends, type Person, pointerTo } from '../support/friends.ts'

const app = await makeApp()
const friends = makeFriends(app)
const { answer, request: ask, block, follow, people } = friends

const two = async () => (await people(2)) as [Person, Person]
const three = async () => (await people(3)) as [Person, Person, Person]

const request = (id: string) => `/1.1/classes/_FriendshipRequest/${id}`
const statusOf = async (id: string) => (await app.request('GET', request(id), { master: true })).body.status

/** Returns the follows among the given users as pairs of ids. */
async function follows(...among: Person[]): Promise<string[][]> {
  const ids = among.map(({ id }) => id)
  const isAmong = (pair: string[]) => pair.every((id) => ids.includes(id))
  const rows = (await friends.stored('_Followee')).filter(isAmong)
  const back = (await friends.stored('_Follower')).filter(isAmong).map(([user, follower]) => [follower!, user!])
  expect(back.map(String).sort()).toEqual(rows.map(String).sort())
  return rows
}

const friendsOf = async (who: Person): Promise<string[]> => {
  const { body } = await app.request('GET', '/1.1/users/self/friends', { session: who.session })
  return body.results.map((row: { followee: { objectId: string } }) => row.followee.objectId).sort()
}

/** Returns the response to a rejected request. */
const askAgain = async (who: Person, whom: Person) => {
  const body = { user: pointerTo(who), friend: pointerTo(whom) }
  return (await app.request('POST', '/1.1/users/friendshipRequests', { session: who.session, body })).body
}

describe('a friend request', () => {
  it('returns its id and time, and is visible only to both users', async () => {
    const [ann, bob, eve] = await three()
    const body = { user: pointerTo(ann), friend: pointerTo(bob), friendship: { group: 'sport' } }
    const reply = await app.request('POST', '/1.1/users/friendshipRequests', { session: ann.session, body })
    expect([reply.status, Object.keys(reply.body).sort()]).toEqual([200, ['createdAt', 'objectId']])
    for (const { session } of [ann, bob]) {
      const seen = await app.request('GET', request(reply.body.objectId), { session })
      expect(seen.body).toMatchObject({ user: pointerTo(ann), friend: pointerTo(bob), status: 'pending' })
    }
    for (const options of [{}, { session: eve.session }])
      expect(await app.request('GET', request(reply.body.objectId), options)).toMatchObject({ status: 403 })
  })

  it.each([
    ['without a session', {}, 206],
    ['in the name of another', { session: 'eve' }, 206],
    ['to oneself', { session: 'ann', friend: 'ann' }, 1],
    ['to nobody', { session: 'ann', friend: null }, 106],
    ['to an object of another class', { session: 'ann', className: 'Dog' }, 106],
    ['to a user that is not there', { session: 'ann', friend: 'missing' }, 211],
    ['with attributes that are none', { session: 'ann', friendship: 'sport' }, 107],
    ['with the state of a friendship', { session: 'ann', friendship: { friendStatus: true } }, 119],
  ] as [string, Record<string, unknown>, number][])('is rejected %s', async (_what, given, code) => {
    const [ann, bob, eve] = await three()
    const named = { ann, bob, eve } as Record<string, Person>
    const { className = '_User', friend = 'bob' } = given
    const objectId = named[String(friend)]?.id ?? friend
    const body = {
      user: pointerTo(ann),
      friend: friend === null ? null : { __type: 'Pointer', className, objectId },
      friendship: given.friendship,
    }
    const session = named[String(given.session)]?.session
    const reply = await app.request('POST', '/1.1/users/friendshipRequests', { body, ...(session && { session }) })
    expect(reply.body.code).toBe(code)
    expect((await friends.stored('_FriendshipRequest')).flat()).not.toContain(ann.id)
  })

  it('can be answered only by its recipient or the master key', async () => {
    const [ann, bob, eve] = await three()
    const id = await ask(ann, bob)
    for (const who of [ann, eve])
      for (const word of ['accept', 'decline'] as const)
        expect(await answer(who, id, word)).toMatchObject({ status: 403, body: { code: 403 } })
    expect(await app.request('PUT', `/1.1/users/friendshipRequests/${id}/accept`)).toMatchObject({ status: 403 })
    expect([await statusOf(id), await follows(ann, bob)]).toEqual(['pending', []])
    const accepted = await app.request('PUT', `/1.1/users/friendshipRequests/${id}/accept`, { master: true })
    expect([accepted.status, Object.keys(accepted.body).sort()]).toEqual([200, ['objectId', 'updatedAt']])
    expect(await friendsOf(bob)).toEqual([ann.id])
    expect(await answer(bob, 'nothing', 'accept')).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('that is accepted makes both users follow each other permanently', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob, { group: 'sport' })
    await answer(bob, id, 'accept', { friendship: { group: 'work' } })
    expect(await follows(ann, bob)).toHaveLength(2)
    expect(await answer(bob, id, 'decline')).toMatchObject({ status: 400, body: { code: 1 } })
    await friends.unfollow(ann, bob)
    expect(await answer(bob, id, 'accept')).toMatchObject({ status: 200, body: { objectId: id } })
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[], [ann.id]])
  })

  it('in both directions is settled by one reply', async () => {
    const [ann, bob] = await two()
    const ids = [await ask(ann, bob), await ask(bob, ann)]
    await answer(bob, ids[0]!, 'accept')
    expect(await Promise.all(ids.map(statusOf))).toEqual(['accepted', 'accepted'])
    expect(await follows(ann, bob)).toHaveLength(2)
  })

  it('to a friend is rejected; to a follower it is not', async () => {
    const [ann, bob] = await two()
    await follow(bob, ann)
    await answer(bob, await ask(ann, bob), 'accept')
    for (const [who, whom] of [
      [ann, bob],
      [bob, ann],
    ] as const)
      expect(await askAgain(who, whom)).toEqual({ code: 1, error: 'Friendship already exists.' })
    expect(await friendsOf(bob)).toEqual([ann.id])
  })

  it('cannot be changed by a client in any other way', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob)
    for (const { session } of [ann, bob])
      expect(await app.request('PUT', request(id), { session, body: { status: 'accepted' } })).toMatchObject({
        status: 400,
        body: { code: 119 },
      })
    expect(await statusOf(id)).toBe('pending')
  })

  it('that is pending can be withdrawn by its sender, together with the attributes', async () => {
    const [ann, bob, eve] = await three()
    const id = await ask(ann, bob, { group: 'sport' })
    expect(await app.request('DELETE', request(id), { session: eve.session })).toMatchObject({ status: 403 })
    expect(await app.request('DELETE', request(id), { session: ann.session })).toMatchObject({ status: 200 })
    expect((await friends.stored('_Followee')).flat()).not.toContain(ann.id)
    expect(await answer(bob, id, 'accept')).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('that was declined cannot be sent again', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'decline')
    const error = 'Friendship request had previously been declined'
    expect(await askAgain(ann, bob)).toEqual({ code: 1, error })
  })

  it('that was declined can be deleted only by its recipient, and can be sent again then', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob)
    await answer(bob, id, 'decline')
    expect(await app.request('DELETE', request(id), { session: ann.session })).toMatchObject({ body: { code: 119 } })
    expect(await ask(ann, bob)).toBeUndefined()
    expect(await app.request('DELETE', request(id), { session: bob.session })).toMatchObject({ status: 200 })
    expect(await ask(ann, bob)).toEqual(expect.any(String))
  })
})

describe('a block', () => {
  const forbidden = { status: 403, body: { code: 403 } }
  const unblock = (who: Person, whom: Person) =>
    app.request('DELETE', `/1.1/users/self/friendBlocklist/${whom.id}`, { session: who.session })

  it('suspends the relationship between both users, and prevents a new one', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'accept')
    expect(await block(bob, ann)).toMatchObject({ status: 200, body: {} })
    expect(await follows(ann, bob)).toEqual([])
    for (const [who, whom] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      expect(await follow(who, whom)).toMatchObject(forbidden)
      expect(await ask(who, whom)).toBeUndefined()
    }
    expect(await block(bob, ann)).toMatchObject({ status: 200 })
    expect(await unblock(bob, ann)).toMatchObject({ status: 200, body: {} })
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[bob.id], [ann.id]])
    expect(await follow(ann, bob)).toMatchObject({ status: 200 })
  })

  /** Returns all stored follow rows between two users. */
  const rowsOf = async (ann: Person, bob: Person) => {
    const { rows } = await app.sql(
      `SELECT to_jsonb(row) AS row
       FROM (SELECT 1 AS kind, * FROM "_Followee" UNION ALL SELECT 2, * FROM "_Follower") AS row
       WHERE data->'user'->>'objectId' = ANY($1)
       ORDER BY kind, id`,
      [[ann.id, bob.id]],
    )
    return rows.map(({ row: { updated_at: _, readers, writers, ...row } }) => ({
      ...row,
      readers: readers.sort(),
      writers: writers.sort(),
    }))
  }

  it('that is lifted restores the friendship with its ids, times, ACLs and attributes', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob, { group: 'sport', since: { __type: 'Date', iso: '2020-01-02T00:00:00.000Z' } })
    const friendship = { group: 'work', ACL: { [bob.id]: { read: true, write: true } } }
    await answer(bob, id, 'accept', { friendship })
    const before = await rowsOf(ann, bob)
    expect(before).toHaveLength(4)
    for (const [blocker, blocked] of [
      [ann, bob],
      [bob, ann],
      [bob, ann],
    ] as const) {
      await block(blocker, blocked)
      expect(await rowsOf(ann, bob)).toEqual([])
      for (const [who, whom] of [
        [ann, bob],
        [bob, ann],
      ] as const)
        expect(await friends.unfollow(who, whom)).toMatchObject({ status: 400, body: { code: 221 } })
      await unblock(blocker, blocked)
      expect(await rowsOf(ann, bob)).toEqual(before)
      expect(await unblock(blocker, blocked)).toMatchObject({ status: 200, body: {} })
      expect(await rowsOf(ann, bob)).toEqual(before)
    }
    expect(await statusOf(id)).toBe('accepted')
    expect(await ask(ann, bob)).toBeUndefined()
  })

  it('does not restore a follow outside a friendship', async () => {
    const [ann, bob] = await two()
    await follow(ann, bob)
    await follow(bob, ann)
    await block(ann, bob)
    await unblock(ann, bob)
    expect(await follows(ann, bob)).toEqual([])
  })

  it('restores a one-sided friendship', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'accept')
    await friends.unfollow(ann, bob)
    const before = await rowsOf(ann, bob)
    await block(ann, bob)
    await unblock(ann, bob)
    expect(await rowsOf(ann, bob)).toEqual(before)
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[], [ann.id]])
  })

  it('in both directions keeps the friendship suspended until both are lifted', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'accept')
    const before = await rowsOf(ann, bob)
    for (const [first, second] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      await block(ann, bob)
      await block(bob, ann)
      await unblock(first, second)
      expect(await follows(ann, bob)).toEqual([])
      expect(await follow(ann, bob)).toMatchObject(forbidden)
      await unblock(second, first)
      expect(await rowsOf(ann, bob)).toEqual(before)
    }
  })

  it('lifted many times concurrently restores the friendship once', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'accept')
    const before = await rowsOf(ann, bob)
    await Promise.all(Array.from({ length: 4 }, () => block(ann, bob)))
    const replies = await Promise.all(Array.from({ length: 8 }, () => unblock(ann, bob)))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(await rowsOf(ann, bob)).toEqual(before)
  })

  it('hides suspended rows from all callers but the master key', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob, { note: 'of ann' }), 'accept', { friendship: { note: 'of bob' } })
    await block(ann, bob)
    const paths = ['/1.1/users/self/friendBlocklist', '/1.1/classes/_Blocklist']
    for (const path of paths)
      for (const query of [{}, { keys: 'suspendedFriendship,user' }, { include: 'suspendedFriendship' }]) {
        const { body } = await app.request('GET', path, { query, session: ann.session })
        expect(body.results).toHaveLength(1)
        expect(JSON.stringify(body)).not.toMatch(/suspended|of bob|of ann/)
      }
    const where = JSON.stringify({ 'suspendedFriendship.data.note': 'of bob' })
    for (const query of [
      { where },
      { where: '{"suspendedFriendship":{"$exists":true}}' },
      { order: 'suspendedFriendship' },
    ])
      expect(await app.request('GET', paths[1]!, { query, session: ann.session })).toMatchObject(forbidden)
    const ofAnn = { where: JSON.stringify({ user: pointerTo(ann) }) }
    const [row] = (await app.request('GET', paths[1]!, { query: ofAnn, master: true })).body.results
    expect(row.suspendedFriendship).toHaveLength(4)
  })

  it('can be lifted even when the friendship limit or its field is gone', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob, { gone: 1, changed: 'text' }), 'accept')
    await block(ann, bob)
    for (const className of ['_Followee', '_Follower']) {
      for (const field of ['gone', 'changed']) await app.admin('DELETE', `/classes/${className}/fields/${field}`)
      await app.admin('PATCH', `/classes/${className}`, { fields: { changed: { type: 'Number' } } })
    }
    await unblock(ann, bob)
    const rows = (await rowsOf(ann, bob)).map(({ data }) => Object.keys(data).sort())
    const [followee, follower] = [
      ['followee', 'friendStatus', 'user'],
      ['follower', 'friendStatus', 'user'],
    ]
    expect(rows).toEqual([followee, followee, follower, follower])
    await block(ann, bob)
    const [kept] = (
      await app.sql(`SELECT data->'suspendedFriendship'->0->>'id' AS id FROM "_Blocklist"
      WHERE data->'user'->>'objectId' = '${ann.id}'`)
    ).rows
    await app.request('POST', '/1.1/classes/_Followee', { master: true, body: { objectId: kept.id } })
    expect(await unblock(ann, bob)).toMatchObject({ status: 200, body: {} })
    expect(await follow(ann, bob)).toMatchObject({ status: 200 })
  })

  it('restores nothing for a deleted user', async () => {
    const [ann, bob] = await two()
    await answer(bob, await ask(ann, bob), 'accept')
    await block(ann, bob)
    await app.request('DELETE', `/1.1/users/${bob.id}`, { session: bob.session })
    expect(await unblock(ann, bob)).toMatchObject({ status: 200 })
    expect(await rowsOf(ann, bob)).toEqual([])
  })

  it('declines requests of the blocked user and withdraws those of the blocking user', async () => {
    const [ann, bob, cy] = await three()
    const [incoming, outgoing] = [await ask(ann, bob, { group: 'x' }), await ask(bob, cy)]
    await block(bob, ann)
    await block(bob, cy)
    expect(await statusOf(incoming)).toBe('declined')
    expect((await app.request('GET', request(outgoing), { master: true })).body).toEqual({})
    expect(await answer(bob, incoming, 'accept')).toMatchObject(forbidden)
    expect(await follows(ann, bob, cy)).toEqual([])
  })

  it('is listed only for the blocking user', async () => {
    const [ann, bob, eve] = await three()
    await block(ann, bob)
    const list = (who: Person) =>
      app.request('GET', '/1.1/users/self/friendBlocklist', { session: who.session, query: { include: 'blockedUser' } })
    const [row] = (await list(ann)).body.results
    expect(row).toMatchObject({ user: pointerTo(ann), blockedUser: { objectId: bob.id, className: '_User' } })
    expect(row.blockedUser).toHaveProperty('username')
    expect(row.blockedUser).not.toHaveProperty('sessionToken')
    expect((await list(bob)).body.results).toEqual([])
    for (const { session } of [bob, eve])
      expect((await app.request('GET', '/1.1/classes/_Blocklist', { session })).body.results).toEqual([])
    for (const method of ['PUT', 'DELETE'])
      expect(
        await app.request(method, `/1.1/classes/_Blocklist/${row.objectId}`, { session: ann.session, body: {} }),
      ).toMatchObject(forbidden)
    expect(await app.request('POST', '/1.1/classes/_Blocklist', { session: ann.session, body: {} })).toMatchObject(
      forbidden,
    )
  })

  it('of oneself or an unknown user is rejected', async () => {
    const [ann] = await two()
    expect(await block(ann, ann)).toMatchObject({ status: 400, body: { code: 1 } })
    expect(await block(ann, { id: 'missing', session: '' })).toMatchObject({ status: 400, body: { code: 211 } })
    expect(await app.request('POST', `/1.1/users/self/friendBlocklist/${ann.id}`)).toMatchObject({
      body: { code: 206 },
    })
  })
})
