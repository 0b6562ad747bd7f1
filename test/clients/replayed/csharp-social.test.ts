import { expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { indexed, makeSearched } from '../../support/search.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's C# SDK 1.0 and 2.x (.NET and Unity): what LCFriendship, LCStatus, LCStatusQuery, LCLeaderboard and
// LCSearchQuery send, and what they demand of the answers: a member that they take by its name and that is not there is an
// exception.

const app = await makeApp()
const csharp = requestsOf(
  app,
  () => ({ 'x-lc-id': app.appId, 'x-lc-sign': signOf(app.appKey), accept: 'application/json' }),
  'application/json',
)
const withMasterKey = requestsOf(
  app,
  () => ({ 'x-lc-id': app.appId, 'x-lc-sign': signOf(app.masterKey, Date.now(), ',master') }),
  'application/json',
)
const [ann, bob] = [await app.makeUser('ann'), await app.makeUser('bob')]
/** LCEncoder.EncodeLCObject */
const encoded = ({ id }: { id: string }) => ({ __type: 'Pointer', className: '_User', objectId: id })
const owner = JSON.stringify(encoded(bob))

it('statuses are sent to followers, read, counted, reset and deleted', async () => {
  const follow = `/1.1/users/${bob.id}/friendship/${ann.id}`
  expect((await csharp('POST', follow, { session: bob.session, body: {} })).status).toBe(200)
  // LCStatus.SendToFollowers
  const query = { className: '_Follower', where: { user: encoded(ann) }, keys: 'follower' }
  const body = { inboxType: 'default', data: { text: 'hi', source: encoded(ann) }, query }
  const sent = await csharp('POST', '/1.1/statuses', { session: ann.session, body })
  expect([sent.status, sent.body]).toEqual([201, { objectId: expect.any(String), createdAt: expect.any(String) }])
  // LCStatusQuery.Find sends 0 for what was not set.
  const wanted = { owner, inboxType: 'default', sinceId: '0', maxId: '0', limit: '100' }
  const found = await csharp('GET', '/1.1/subscribe/statuses', { session: bob.session, query: wanted })
  const [status] = found.body.results
  expect(status).toMatchObject({ objectId: sent.body.objectId, text: 'hi', inboxType: 'default' })
  expect(Number.isInteger(status.messageId)).toBe(true)
  // LCStatus.GetCount and ResetUnreadCount, which has no body.
  const inbox = { owner, inboxType: 'default' }
  const count = () => csharp('GET', '/1.1/subscribe/statuses/count', { session: bob.session, query: inbox })
  expect((await count()).body).toEqual({ total: 1, unread: 1 })
  const reset = '/1.1/subscribe/statuses/resetUnreadCount'
  expect((await csharp('POST', reset, { session: bob.session, query: inbox })).status).toBe(200)
  expect((await count()).body).toEqual({ total: 1, unread: 0 })
  // LCStatus.Delete, of somebody else's and of one's own.
  const place = { ...inbox, messageId: String(status.messageId) }
  const taken = await csharp('DELETE', '/1.1/subscribe/statuses/inbox', { session: bob.session, query: place })
  expect(taken.status).toBe(200)
  expect((await count()).body.total).toBe(0)
  const deleted = await csharp('DELETE', `/1.1/statuses/${sent.body.objectId}`, { session: ann.session })
  expect(deleted.status).toBe(200)
})

it('friends are asked, accepted and declined, and blocked, with bodies only where there is something to say', async () => {
  const [cy, dee, eve] = [await app.makeUser('cy'), await app.makeUser('dee'), await app.makeUser('eve')]
  // LCFriendship.Request; Post reads the answer as a dictionary.
  const ask = (who: typeof cy, more: object = {}) =>
    csharp('POST', '/1.1/users/friendshipRequests', {
      session: who.session,
      body: { user: encoded(who), friend: encoded(cy), ...more },
    })
  expect((await ask(dee, { friendship: { group: 'work' } })).body).toMatchObject({ objectId: expect.any(String) })
  expect((await ask(eve)).status).toBe(200)
  // LCFriendshipRequest.GetQuery is a query like others.
  const where = JSON.stringify({ friend: encoded(cy), status: 'pending' })
  const query = { where, include: 'user', order: 'createdAt' }
  const found = await csharp('GET', '/1.1/classes/_FriendshipRequest', { session: cy.session, query })
  const [ofDee, ofEve] = found.body.results
  expect([ofDee.user, ofEve.user]).toMatchObject([{ username: 'dee' }, { username: 'eve' }])
  const answer = (request: { objectId: string }, word: string) =>
    csharp('PUT', `/1.1/users/friendshipRequests/${request.objectId}/${word}`, { session: cy.session })
  expect((await answer(ofDee, 'accept')).body).toMatchObject({ objectId: ofDee.objectId })
  expect((await answer(ofEve, 'decline')).body).toMatchObject({ objectId: ofEve.objectId })
  const blocking = `/1.1/users/self/friendBlocklist/${dee.id}`
  expect((await csharp('POST', blocking, { session: cy.session })).status).toBe(200)
  expect((await ask(dee)).status).toBe(403)
  expect((await csharp('DELETE', blocking, { session: cy.session })).status).toBe(200)
  expect((await ask(dee)).status).toBe(200)
})

it('boards are made with the master key, and users write and read their statistics', async () => {
  // LCLeaderboard.CreateLeaderboard
  const board = {
    statisticName: 'points',
    order: 'descending',
    versionChangeInterval: 'week',
    updateStrategy: 'better',
    memberType: '_User',
  }
  const made = await withMasterKey('POST', '/1.1/leaderboard/leaderboards', { body: board })
  expect(made.body).toMatchObject({ ...board, version: 0, createdAt: expect.any(String) })
  // LCLeaderboard.UpdateStatistics: doubles that are whole have a point.
  const path = `/1.1/leaderboard/users/${ann.id}/statistics`
  const body = '[{"statisticName":"points","statisticValue":7.0}]'
  const stored = await csharp('POST', path, { session: ann.session, body })
  expect(stored.body.results).toEqual([
    expect.objectContaining({ statisticName: 'points', statisticValue: 7, version: 0 }),
  ])
  const read = await csharp('GET', path, { session: ann.session, query: { statistics: 'points' } })
  expect(read.body.results).toEqual([expect.objectContaining({ statisticName: 'points', statisticValue: 7 })])
  const deleted = await csharp('DELETE', path, { session: ann.session, query: { statistics: 'points' } })
  expect(deleted.status).toBe(200)
})

it('searches have hits and sid, also where nothing is found', async () => {
  await makeSearched(app, 'Account', { title: 'String' })
  await csharp('POST', '/1.1/classes/Account', { body: { title: 'found' } })
  await indexed(app)
  const search = async (q: string) =>
    (await csharp('GET', '/1.1/search/select', { query: { clazz: 'Account', limit: '100', skip: '0', q } })).body
  const found = await search('found')
  expect(found).toMatchObject({ hits: 1, sid: expect.any(String) })
  expect(found.results[0]).toMatchObject({ title: 'found', objectId: expect.any(String) })
  const none = await search('nothing')
  expect(none).toMatchObject({ hits: 0, results: [] })
  // LCSearchQuery.Find takes it by its name, whatever there is.
  expect(none).toHaveProperty('sid')
})
