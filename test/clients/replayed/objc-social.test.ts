import { expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { indexed, makeSearched } from '../../support/search.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's Objective-C SDK 13: what LCUser, LCFriendship, LCStatus, LCLeaderboard and LCSearchQuery send, and what they
// read of the answers. Swift's SDK has none of these.

const app = await makeApp()
const objc = requestsOf(
  app,
  () => ({
    'x-lc-id': app.appId,
    'x-lc-sign': signOf(app.appKey),
    'user-agent': 'LeanCloud-Objective-C-SDK/13.9.0',
    'content-type': 'application/json; charset=utf-8',
    accept: 'application/json',
  }),
  'application/json; charset=utf-8',
)
const ANY_TEXT = expect.any(String)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const [ann, bob, cy] = [await app.makeUser('ann'), await app.makeUser('bob'), await app.makeUser('cy')]
/** LCObjectUtils.dictionaryFromObjectPointer */
const pointer = ({ id }: { id: string }) => ({ __type: 'Pointer', className: '_User', objectId: id })
/** LCStatus.stringOfStatusOwner writes it by itself, with spaces. */
const owner = ({ id }: { id: string }) => `{"__type":"Pointer", "className":"_User", "objectId":"${id}"}`

it('a user follows as self, with attributes, and lists are queries of both classes', async () => {
  const follow = (body: object) => objc('POST', `/1.1/users/self/friendship/${ann.id}`, { session: bob.session, body })
  expect((await follow({ group: 'sport' })).status).toBe(200)
  // LCUser.followerQuery and followeeObjectsQuery
  const followers = { where: JSON.stringify({ user: pointer(ann) }), include: 'follower', keys: 'follower' }
  const found = await objc('GET', '/1.1/classes/_Follower', { session: ann.session, query: followers })
  expect(found.body.results).toMatchObject([{ follower: { objectId: bob.id, username: 'bob' } }])
  const followees = { where: JSON.stringify({ user: pointer(bob) }), include: 'followee' }
  const rows = await objc('GET', '/1.1/classes/_Followee', { session: bob.session, query: followees })
  expect(rows.body.results).toMatchObject([{ group: 'sport', followee: { objectId: ann.id, username: 'ann' } }])
  // LCUser.getFollowersAndFollowees
  const both = await objc('GET', `/1.1/users/${bob.id}/followersAndFollowees`, { session: bob.session })
  expect(both.body).toMatchObject({ followers: [], followees: [{ followee: { objectId: ann.id } }] })
})

it('friend requests are made, found as pending, accepted without a body, and declined', async () => {
  const ask = (who: typeof ann, more: object = {}) =>
    objc('POST', '/1.1/users/friendshipRequests', {
      session: who.session,
      body: { user: pointer(who), friend: pointer(cy), ...more },
    })
  expect((await ask(ann, { friendship: { group: 'work' } })).body).toEqual({ objectId: ANY_TEXT, createdAt: ISO })
  expect((await ask(bob)).status).toBe(200)
  // LCFriendshipRequest.query
  const pending = async () => {
    const where = JSON.stringify({ friend: pointer(cy), status: 'pending' })
    const query = { where, include: 'user' }
    const { body } = await objc('GET', '/1.1/classes/_FriendshipRequest', { session: cy.session, query })
    return body.results as { objectId: string; user: { objectId: string; username: string } }[]
  }
  const requests = await pending()
  expect(requests.map(({ user }) => user.username).toSorted()).toEqual(['ann', 'bob'])
  const answer = async (of: typeof ann, word: string, body?: object) => {
    const { objectId } = requests.find(({ user }) => user.objectId === of.id)!
    const path = `/1.1/users/friendshipRequests/${objectId}/${word}`
    return (await objc('PUT', path, { session: cy.session, ...(body && { body }) })).status
  }
  expect(await answer(ann, 'accept', { friendship: { group: 'home' } })).toBe(200)
  expect(await answer(bob, 'decline')).toBe(200)
  expect(await pending()).toEqual([])
  const where = JSON.stringify({ user: pointer(cy), friendStatus: true })
  const friends = await objc('GET', '/1.1/classes/_Followee', { session: cy.session, query: { where } })
  expect(friends.body.results).toMatchObject([{ group: 'home', followee: { objectId: ann.id } }])
})

it('statuses go to followers and to one user, are read by pages, counted, reset and deleted', async () => {
  await objc('POST', `/1.1/users/self/friendship/${ann.id}`, { session: bob.session, body: {} })
  const send = (query: object, inboxType: string, text: string) =>
    objc('POST', '/1.1/statuses', {
      session: ann.session,
      body: { data: { text, source: pointer(ann) }, query, inboxType },
    })
  // LCStatus.sendStatusToFollowers: a query of the class, whose condition is no text here, and which includes.
  const followers = { className: '_Follower', where: { user: pointer(ann) }, include: 'follower', keys: 'follower' }
  const ids: string[] = []
  for (const text of ['one', 'two']) {
    const { status, body } = await send(followers, 'default', text)
    expect([status, body]).toEqual([201, { objectId: ANY_TEXT, createdAt: ISO }])
    ids.push(body.objectId)
  }
  // LCStatus.sendPrivateStatus
  expect((await send({ className: '_User', where: { objectId: bob.id } }, 'private', 'only you')).status).toBe(201)

  // LCStatusQuery: the owner is a dictionary, which becomes JSON in the URL.
  const inbox = async (more: Record<string, string>) => {
    const query = { owner: JSON.stringify(pointer(bob)), inboxType: 'default', ...more }
    return (await objc('GET', '/1.1/subscribe/statuses', { session: bob.session, query })).body
  }
  const first = await inbox({ limit: '1' })
  expect(first).toMatchObject({ end: false, results: [{ objectId: ids[1], text: 'two', inboxType: 'default' }] })
  expect(first.results[0]).toMatchObject({ createdAt: ISO, source: { objectId: ann.id } })
  const last = await inbox({ maxId: String(first.results[0].messageId - 1) })
  expect(last).toMatchObject({ end: true, results: [{ objectId: ids[0], text: 'one' }] })
  const since = await inbox({ sinceId: String(last.results[0].messageId) })
  expect(since.results).toMatchObject([{ objectId: ids[1] }])
  const alone = await inbox({ inboxType: 'private' })
  expect(alone.results).toMatchObject([{ text: 'only you' }])

  // LCStatus.getUnreadStatusesCountWithType, and the reset, whose owner is a text in the body.
  const place = { owner: owner(bob), inboxType: 'default' }
  const count = () => objc('GET', '/1.1/subscribe/statuses/count', { session: bob.session, query: place })
  expect((await count()).body).toMatchObject({ unread: 2 })
  const reset = await objc('POST', '/1.1/subscribe/statuses/resetUnreadCount', { session: bob.session, body: place })
  expect(reset.status).toBe(200)
  expect((await count()).body).toMatchObject({ unread: 0 })

  // LCStatus.deleteInboxStatusForMessageId, getStatusWithID and deleteStatusWithID
  const messageId = String(last.results[0].messageId)
  const query = { owner: JSON.stringify(pointer(bob)), inboxType: 'default', messageId }
  expect((await objc('DELETE', '/1.1/subscribe/statuses/inbox', { session: bob.session, query })).status).toBe(200)
  expect((await inbox({})).results).toMatchObject([{ objectId: ids[1] }])
  const path = `/1.1/statuses/${ids[1]}`
  const one = await objc('GET', path, { session: ann.session, query: { owner: owner(ann), include: 'source' } })
  expect(one.body).toMatchObject({ objectId: ids[1], createdAt: ISO, source: { username: 'ann' } })
  expect((await objc('DELETE', path, { session: ann.session, query: { owner: owner(ann) } })).status).toBe(200)
  expect((await inbox({})).results).toEqual([])
})

it('statistics are written by who they are of, and ranks have what the client reads', async () => {
  const board = { statisticName: 'score', memberType: '_User', updateStrategy: 'better', versionChangeInterval: 'day' }
  await app.request('POST', '/1.1/leaderboard/leaderboards', { body: board, master: true })
  for (const [who, value] of [
    [ann, 3.5],
    [bob, 8],
  ] as const) {
    const path = `/1.1/leaderboard/users/${who.id}/statistics`
    const body = [{ statisticName: 'score', statisticValue: value }]
    const { body: stored } = await objc('POST', path, { session: who.session, body })
    expect(stored.results).toMatchObject([{ statisticName: 'score', statisticValue: value, version: 0 }])
  }
  // LCLeaderboard.getResultsAroundIdentity
  const query = { selectKeys: 'username', includeStatistics: 'score', maxResultsCount: '10', count: '1' }
  const ranks = await objc('GET', '/1.1/leaderboard/leaderboards/user/score/ranks', { query })
  const ranking = (rank: number, statisticValue: number, username: string) => ({
    rank,
    statisticName: 'score',
    statisticValue,
    statistics: [{ statisticName: 'score', statisticValue }],
    user: { username },
  })
  expect(ranks.body).toMatchObject({ count: 2, results: [ranking(0, 8, 'bob'), ranking(1, 3.5, 'ann')] })
  // LCLeaderboard.getStatisticsWithIdentities
  const group = await objc('POST', '/1.1/leaderboard/users/statistics/score', { body: { ids: [ann.id, cy.id] } })
  expect(group.body.results).toMatchObject([{ statisticValue: 3.5, user: { objectId: ann.id } }])
  const gone = { session: ann.session, query: { statistics: 'score' } }
  expect((await objc('DELETE', `/1.1/leaderboard/users/${ann.id}/statistics`, gone)).status).toBe(200)
})

it('searches are ordered by a builder, marked, and go on with their sid', async () => {
  await makeSearched(app, 'Story', { title: 'String', stars: 'Number' })
  for (const stars of [1, 2, 3]) await objc('POST', '/1.1/classes/Story', { body: { title: 'long tale', stars } })
  await indexed(app)
  const search = async (more: Record<string, string>) => {
    const sort = JSON.stringify([{ stars: { order: 'desc', mode: 'avg', missing: '_last' } }])
    const query = { clazz: 'Story', limit: '2', q: 'tale', fields: 'title,stars', highlights: 'title', sort, ...more }
    return (await objc('GET', '/1.1/search/select', { query })).body
  }
  const first = await search({})
  expect(first).toMatchObject({ hits: 3, sid: ANY_TEXT, results: [{ stars: 3 }, { stars: 2 }] })
  expect(first.results[0]).toMatchObject({ objectId: ANY_TEXT, _highlight: { title: ['long <em>tale</em>'] } })
  expect((await search({ sid: first.sid })).results).toMatchObject([{ stars: 1 }])
})
