import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeFriends, type Person, pointerTo } from '../support/friends.ts'

const app = await makeApp()
const friends = makeFriends(app)
const { answer, ask, block, follow, people } = friends

const two = async () => (await people(2)) as [Person, Person]
const three = async () => (await people(3)) as [Person, Person, Person]

const request = (id: string) => `/1.1/classes/_FriendshipRequest/${id}`
const statusOf = async (id: string) => (await app.request('GET', request(id), { master: true })).body.status

/** Ids of those who follow each other among the given users, as pairs. */
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

describe('a friend request', () => {
  it('is answered with its id and time, and seen by both users and nobody else', async () => {
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
  ] as [string, Record<string, unknown>, number][])('is not made %s', async (_what, given, code) => {
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

  it('is answered by who was asked or the master key alone', async () => {
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

  it('that is accepted makes both follow each other, and is accepted for good', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob, { group: 'sport' })
    await answer(bob, id, 'accept', { friendship: { group: 'work' } })
    expect(await follows(ann, bob)).toHaveLength(2)
    expect(await answer(bob, id, 'decline')).toMatchObject({ status: 400, body: { code: 1 } })
    await friends.unfollow(ann, bob)
    expect(await answer(bob, id, 'accept')).toMatchObject({ status: 200, body: { objectId: id } })
    expect([await friendsOf(ann), await friendsOf(bob)]).toEqual([[], [ann.id]])
  })

  it('of each to the other is settled by one answer', async () => {
    const [ann, bob] = await two()
    const ids = [await ask(ann, bob), await ask(bob, ann)]
    await answer(bob, ids[0]!, 'accept')
    expect(await Promise.all(ids.map(statusOf))).toEqual(['accepted', 'accepted'])
    expect(await follows(ann, bob)).toHaveLength(2)
  })

  it('to a friend is refused, and to who follows one is not', async () => {
    const [ann, bob] = await two()
    await follow(bob, ann)
    await answer(bob, await ask(ann, bob), 'accept')
    const body = { user: pointerTo(ann), friend: pointerTo(bob) }
    const again = await app.request('POST', '/1.1/users/friendshipRequests', { session: ann.session, body })
    expect(again.body).toMatchObject({ code: 1, error: expect.stringContaining('friend already') })
    expect(await friendsOf(bob)).toEqual([ann.id])
  })

  it('changes by no other way, and by no client', async () => {
    const [ann, bob] = await two()
    const id = await ask(ann, bob)
    for (const { session } of [ann, bob])
      expect(await app.request('PUT', request(id), { session, body: { status: 'accepted' } })).toMatchObject({
        status: 400,
        body: { code: 119 },
      })
    expect(await statusOf(id)).toBe('pending')
  })

  it('that waits is taken back by who made it, with what the friend was to have', async () => {
    const [ann, bob, eve] = await three()
    const id = await ask(ann, bob, { group: 'sport' })
    expect(await app.request('DELETE', request(id), { session: eve.session })).toMatchObject({ status: 403 })
    expect(await app.request('DELETE', request(id), { session: ann.session })).toMatchObject({ status: 200 })
    expect((await friends.stored('_Followee')).flat()).not.toContain(ann.id)
    expect(await answer(bob, id, 'accept')).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('that was declined is deleted by who declined it alone, and can be made again then', async () => {
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

  it('ends what was between the two, and lets nothing new begin', async () => {
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
    const unblocked = await app.request('DELETE', `/1.1/users/self/friendBlocklist/${ann.id}`, { session: bob.session })
    expect(unblocked).toMatchObject({ status: 200, body: {} })
    expect(await follows(ann, bob)).toEqual([])
    expect(await follow(ann, bob)).toMatchObject({ status: 200 })
  })

  it('declines the requests of who is blocked, and takes back those of who blocks', async () => {
    const [ann, bob, cy] = await three()
    const [incoming, outgoing] = [await ask(ann, bob, { group: 'x' }), await ask(bob, cy)]
    await block(bob, ann)
    await block(bob, cy)
    expect(await statusOf(incoming)).toBe('declined')
    expect((await app.request('GET', request(outgoing), { master: true })).body).toEqual({})
    expect(await answer(bob, incoming, 'accept')).toMatchObject(forbidden)
    expect(await follows(ann, bob, cy)).toEqual([])
  })

  it('is on the list of who blocks, and on nobody else’s', async () => {
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

  it('of oneself or of nobody is refused', async () => {
    const [ann] = await two()
    expect(await block(ann, ann)).toMatchObject({ status: 400, body: { code: 1 } })
    expect(await block(ann, { id: 'missing', session: '' })).toMatchObject({ status: 400, body: { code: 211 } })
    expect(await app.request('POST', `/1.1/users/self/friendBlocklist/${ann.id}`)).toMatchObject({
      body: { code: 206 },
    })
  })
})
