import { expect, it } from 'vitest'
import { Random } from '../permissions/random.ts'
import { makeApp, type Reply } from '../support/app.ts'
import { makeFriends, type Person, pointerTo } from '../support/friends.ts'

const app = await makeApp()
const friends = makeFriends(app)
const { answer, request: ask, block, follow, list, people, unfollow } = friends

/** Retries a request while the server is overloaded: on a busy machine concurrent requests can exceed the statement timeout. */
async function surely(deed: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await deed()
    if (reply.status !== 429) return reply
  }
}

const two = async () => (await people(2)) as [Person, Person]

/** Returns the follows stored among users, as pairs from both classes. */
async function followsAmong(users: readonly Person[]): Promise<{ followees: string[]; followers: string[] }> {
  const ids = new Set(users.map(({ id }) => id))
  const among = (rows: [string, string][]) => rows.filter((pair) => pair.every((id) => ids.has(id)))
  const followees = among(await friends.stored('_Followee')).map(String)
  const followers = among(await friends.stored('_Follower')).map(([user, follower]) => String([follower, user]))
  return { followees: followees.sort(), followers: followers.sort() }
}

it('two hundred concurrent follows of one pair create one', async () => {
  const [ann, bob] = await two()
  const replies = await Promise.all(Array.from({ length: 200 }, (_, n) => follow(ann, bob, { visits: n })))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  const pair = [`${ann.id},${bob.id}`]
  expect(await followsAmong([ann, bob])).toEqual({ followees: pair, followers: pair })
  const { body } = await list('followersAndFollowees', bob, bob, { count: '1' })
  expect([body.followers_count, body.followees_count]).toEqual([1, 0])
  const { rows } = await app.sql(
    `SELECT data->'visits' AS visits FROM "_Followee" WHERE data->'user'->>'objectId' = $1
     UNION SELECT data->'visits' FROM "_Follower" WHERE data->'follower'->>'objectId' = $1`,
    [ann.id],
  )
  // Both rows have the attributes of the last request.
  expect(rows).toHaveLength(1)
})

it('concurrent follows and unfollows leave both rows or none', async () => {
  const [ann, bob] = await two()
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, n) => surely(() => (n % 2 ? unfollow : follow)(ann, bob))),
  )
  for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe(221)
  const { followees, followers } = await followsAmong([ann, bob])
  expect(followers).toEqual(followees)
})

it('concurrent requests create one, and one of several concurrent replies counts', async () => {
  const [ann, bob] = await two()
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask(ann, bob, { group: 'x' })))
  const ids = new Set(asked)
  expect(ids.size).toBe(1)
  const [id] = ids as unknown as [string]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => surely(() => answer(bob, id, n % 2 ? 'accept' : 'decline'))),
  )
  // A declined request can be accepted, but an accepted one cannot be declined.
  expect(answers.filter((_, n) => n % 2).map(({ status }) => status)).toEqual(Array(20).fill(200))
  const { rows } = await app.sql(`SELECT data->>'status' AS status FROM "_FriendshipRequest" WHERE id = $1`, [id])
  expect(rows).toEqual([{ status: 'accepted' }])
  const { followees, followers } = await followsAmong([ann, bob])
  expect([followees.length, followers]).toEqual([2, followees])
})

it('two users that accept each other concurrently become friends once', async () => {
  const [ann, bob] = await two()
  const [mine, yours] = [await ask(ann, bob), await ask(bob, ann)]
  const replies = await Promise.all([answer(bob, mine, 'accept'), answer(ann, yours, 'accept')])
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect((await followsAmong([ann, bob])).followees).toHaveLength(2)
})

it('a user deleted while others follow it keeps no followers', async () => {
  const [star, ...fans] = (await people(30)) as [Person, ...Person[]]
  const [gone, ...replies] = await Promise.all([
    app.request('DELETE', `/1.1/users/${star.id}`, { session: star.session }),
    ...fans.map((fan) => surely(() => follow(fan, star))),
  ])
  expect(gone!.status).toBe(200)
  for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe(211)
  const left = async () => (await friends.stored('_Follower')).filter(([user]) => user === star.id).length
  await expect.poll(left, { timeout: 60_000 }).toBe(0)
})

/** The expected follows and blocks after each step. */
class Model {
  readonly #follows = new Set<string>()
  readonly #blocks = new Set<string>()

  follow(who: string, whom: string): boolean {
    if (this.#blocks.has(`${who},${whom}`) || this.#blocks.has(`${whom},${who}`)) return false
    this.#follows.add(`${who},${whom}`)
    return true
  }

  unfollow(who: string, whom: string): boolean {
    return this.#follows.delete(`${who},${whom}`)
  }

  block(who: string, whom: string): boolean {
    this.#blocks.add(`${who},${whom}`)
    for (const pair of [`${who},${whom}`, `${whom},${who}`]) this.#follows.delete(pair)
    return true
  }

  unblock(who: string, whom: string): boolean {
    this.#blocks.delete(`${who},${whom}`)
    return true
  }

  get follows(): string[] {
    return [...this.#follows].sort()
  }

  /** Returns the followers of a user that are visible to another user, who is part of each visible row. */
  followersSeen(of: string, by: string): string[] {
    return this.follows
      .map((pair) => pair.split(',') as [string, string])
      .filter(([who, whom]) => whom === of && (by === who || by === whom))
      .map(([who]) => who)
      .sort()
  }
}

it('lists match the rules for every reader, whatever users do', async () => {
  const random = new Random(20261123)
  const users = await people(4)
  const model = new Model()
  for (let step = 0; step < 120; step++) {
    const who = random.pick(users)
    const whom = random.pick(users.filter((user) => user !== who))
    const deed = random.pick(['follow', 'follow', 'follow', 'unfollow', 'block', 'unblock'] as const)
    const reply =
      deed === 'unblock'
        ? await app.request('DELETE', `/1.1/users/self/friendBlocklist/${whom.id}`, { session: who.session })
        : await { follow, unfollow, block }[deed](who, whom)
    expect(reply.status === 200, `${step}: ${deed}`).toBe(model[deed](who.id, whom.id))
  }
  expect(await followsAmong(users)).toEqual({ followees: model.follows, followers: model.follows })
  for (const of of users) {
    for (const by of users) {
      const { body } = await list('followers', of, by)
      const seen = body.results.map(({ follower }: { follower: { objectId: string } }) => follower.objectId)
      expect(seen.sort()).toEqual(model.followersSeen(of.id, by.id))
    }
    const where = JSON.stringify({ user: pointerTo(of) })
    expect((await app.request('GET', '/1.1/classes/_Follower', { query: { where } })).body.results).toEqual([])
  }
})
