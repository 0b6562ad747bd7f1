import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp } from '../support/sdk.ts'
import { makePeople, type Person } from '../support/social.ts'

const app = await makeSdkApp()
const [ann, bo, cy, stranger] = await makePeople(app, 'ann', 'bo', 'cy', 'stranger')
for (const { user, as } of [bo, cy]) await user.follow({ user: ann.user }, as)
const master = { useMasterKey: true }

const inbox = (person: Person, type?: string) => AV.Status.inboxQuery(person.user, type)
const read = (person: Person, type?: string) => inbox(person, type).find(person.as)
const texts = async (person: Person, type?: string) => (await read(person, type)).map((status) => status.get('message'))
const counts = (person: Person, type = 'default') => AV.Status.countUnreadStatuses(person.user, type, person.as)
const send = (person: Person, text: string) => AV.Status.sendStatusToFollowers(new AV.Status(null, text), person.as)
/** Logs a user in for a function: the SDK deletes as the current user, whatever its options. */
async function loggedIn<T>({ session }: Person, work: () => Promise<T>): Promise<T> {
  await AV.User.become(session)
  try {
    return await work()
  } finally {
    await AV.User.logOut()
  }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: AV.Error) => error.code,
  )

describe('a status to the followers', () => {
  it('reaches their inboxes and that of its sender only', async () => {
    const status = await send(ann, 'hello')
    expect(status.id).toMatch(/^[a-z0-9]{24}$/)
    expect(status.createdAt).toBeInstanceOf(Date)
    for (const person of [ann, bo, cy]) expect(await texts(person)).toEqual(['hello'])
    expect(await texts(stranger)).toEqual([])
  })

  it('contains its data, source, number and time', async () => {
    const status = await new AV.Status({ image: 'https://example.org/a.png', message: 'a picture', n: { a: [1] } })
    await AV.Status.sendStatusToFollowers(status, ann.as)
    const [got] = await read(bo)
    expect(got).toBeInstanceOf(AV.Status)
    expect(got!.id).toBe(status.id)
    expect(got!.createdAt).toEqual(status.createdAt)
    expect(got!.updatedAt).toEqual(status.createdAt)
    expect(got!.messageId).toBeGreaterThan(0)
    expect(got!.get('image')).toBe('https://example.org/a.png')
    expect(got!.get('n')).toEqual({ a: [1] })
    expect(got!.get('source').id).toBe(ann.id)
    expect(got!.get('inboxType')).toBe('default')
  })

  it('is returned with its source on include', async () => {
    const [got] = await inbox(bo).include('source').find(bo.as)
    expect(got!.get('source').get('username')).toBe('ann')
  })

  it('is among the published statuses of its sender, readable by everyone', async () => {
    const found = await AV.Status.statusQuery(ann.user).descending('createdAt').find(stranger.as)
    expect(found.map((status) => status.get('message'))).toEqual(['a picture', 'hello'])
  })

  it('leaves all inboxes when its sender deletes it', async () => {
    const status = await send(ann, 'a mistake')
    expect((await texts(bo))[0]).toBe('a mistake')
    expect(await codeOf(loggedIn(bo, () => status.destroy()))).toBe(403)
    expect(await codeOf(status.destroy())).toBe(403)
    await loggedIn(ann, () => status.destroy())
    for (const person of [ann, bo, cy]) expect(await texts(person)).not.toContain('a mistake')
  })

  it('cannot be sent in the name of another user', async () => {
    const status = new AV.Status({ message: 'not me', source: bo.user })
    expect(await codeOf(AV.Status.sendStatusToFollowers(status, ann.as))).toBe(403)
    expect(await texts(ann)).not.toContain('not me')
  })
})

describe('a private status', () => {
  it('can be read only by its recipient and its sender', async () => {
    const status = await AV.Status.sendPrivateStatus(new AV.Status(null, 'for you'), bo.id, ann.as)
    expect(await texts(bo, 'private')).toEqual(['for you'])
    expect(await texts(bo)).not.toContain('for you')
    expect(await texts(ann, 'private')).toEqual([])
    expect(await texts(stranger, 'private')).toEqual([])
    const object = status.toObject()
    for (const person of [ann, bo]) expect((await object.fetch({}, person.as)).get('message')).toBe('for you')
    for (const options of [stranger.as, cy.as, {}]) expect(await codeOf(object.fetch({}, options))).toBe(403)
    const found = await AV.Status.statusQuery(ann.user).find(stranger.as)
    expect(found.map((one) => one.get('message'))).not.toContain('for you')
  })
})

/** Sends a status to the users of a query. */
function sendBy(person: Person, text: string, query: unknown, inboxType = 'default') {
  return Object.assign(new AV.Status({ message: text }), { query, inboxType }).send(person.as)
}

describe('a status with a query', () => {
  it('reaches the users of the query, in the inbox it names', async () => {
    await sendBy(bo, 'for some', new AV.Query('_User').containedIn('objectId', [cy.id, stranger.id]), 'news')
    expect(await texts(cy, 'news')).toEqual(['for some'])
    expect(await texts(stranger, 'news')).toEqual(['for some'])
    for (const person of [ann, bo]) expect(await texts(person, 'news')).toEqual([])
  })

  it('obeys the permissions of its sender: a stranger cannot query the followers of another user', async () => {
    const followers = new AV.Query('_Follower').equalTo('user', ann.user).select('follower')
    await sendBy(stranger, 'buy this', followers)
    expect(await texts(bo)).not.toContain('buy this')
    expect(await texts(stranger)).toEqual(['buy this'])
  })

  it('is rejected when the class is closed to its sender', async () => {
    expect(await codeOf(sendBy(stranger, 'to all', new AV.Query('_User').exists('username')))).toBe(403)
  })
})

describe('an inbox', () => {
  it('counts its statuses, and those since the last reset', async () => {
    const before = await counts(cy)
    expect(before.unread).toBe(before.total)
    await AV.Status.resetUnreadCount(cy.user, 'default', cy.as)
    expect(await counts(cy)).toEqual({ total: before.total, unread: 0 })
    await send(ann, 'news')
    expect(await counts(cy)).toEqual({ total: before.total + 1, unread: 1 })
    // Each inbox has a separate count.
    expect((await counts(cy, 'news')).unread).toBe(1)
    expect((await counts(bo)).unread).toBe((await counts(bo)).total)
  })

  it('is read in pages, by number', async () => {
    for (let n = 0; n < 5; n++) await send(ann, `page ${n}`)
    const all = await read(bo)
    const ids = all.map(({ messageId }) => messageId!)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    expect(new Set(ids).size).toBe(ids.length)
    const newest = await inbox(bo).limit(2).find(bo.as)
    expect(newest.map(({ messageId }) => messageId)).toEqual(ids.slice(0, 2))
    const older = await inbox(bo).limit(2).maxId(ids[1]!).find(bo.as)
    expect(older.map(({ messageId }) => messageId)).toEqual(ids.slice(1, 3))
    const newer = await inbox(bo).sinceId(ids[2]!).find(bo.as)
    expect(newer.map(({ messageId }) => messageId)).toEqual(ids.slice(0, 2))
  })

  it('can be filtered by a condition', async () => {
    const found = await inbox(bo).startsWith('message', 'page').find(bo.as)
    expect(found.map((status) => status.get('message'))).toEqual([4, 3, 2, 1, 0].map((n) => `page ${n}`))
    const none = await inbox(bo).equalTo('source', stranger.user).find(bo.as)
    expect(none).toEqual([])
  })

  it('is restricted to its owner', async () => {
    expect(await codeOf(inbox(bo).find(stranger.as))).toBe(403)
    expect(await codeOf(inbox(bo).find({}))).toBe(206)
    expect(await codeOf(AV.Status.countUnreadStatuses(bo.user, 'default', stranger.as))).toBe(403)
    expect(await codeOf(AV.Status.resetUnreadCount(bo.user, 'default', stranger.as))).toBe(403)
    expect((await inbox(bo).find(master)).length).toBeGreaterThan(0)
  })
})
