import AV from 'leancloud-storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()

const engine = await startEngine(
  app,
  `${NOTE}
  for (const hook of ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete'])
    AV.Cloud[hook]('Plain', (request) => note(hook, request))

  AV.Cloud.beforeSave('Review', (request) => {
    note('beforeSave', request)
    const { object, currentUser } = request
    const comment = object.get('comment')
    if (!comment) throw new AV.Cloud.Error('No comment provided!')
    if (comment === 'json') throw new AV.Cloud.Error(JSON.stringify({ code: 4711, reason: 'because' }))
    if (comment === 'fault') throw new TypeError('nothing is a function')
    object.set('comment', comment.slice(0, 10))
    object.set('length', comment.length)
    object.unset('draft')
    if (currentUser) {
      const acl = new AV.ACL()
      acl.setPublicReadAccess(true)
      acl.setWriteAccess(currentUser, true)
      object.setACL(acl)
    }
  })
  AV.Cloud.beforeUpdate('Review', ({ object }) => {
    if (object.updatedKeys.includes('stars') && object.get('stars') > 5) throw new AV.Cloud.Error('Too many stars')
  })
  AV.Cloud.beforeDelete('Review', ({ object }) => {
    if (object.get('stars') === 5) throw new AV.Cloud.Error('Good ones stay')
  })

  AV.Cloud.beforeSave('Typed', ({ object }) => {
    object.set('when', new Date(object.get('when').getTime() + 1000))
    object.set('copy', object.get('target'))
    object.set('place', new AV.GeoPoint(object.get('place').latitude + 1, 20))
    object.set('cover', object.get('file'))
    object.set('made', AV.Object.createWithoutData('Plain', 'somewhere'))
    object.set('url', object.get('file').url())
  })

  AV.Cloud.afterSave('Counted', async ({ object }) => {
    object.set('saves', (object.get('saves') || 0) + 1)
    await object.save()
  })
  AV.Cloud.beforeUpdate('Counted', (request) => note('beforeUpdate', request))
  AV.Cloud.afterUpdate('Counted', async (request) => {
    note('afterUpdate', request)
    request.object.increment('updates')
    await request.object.save()
  })

  AV.Cloud.beforeUpdate('Twice', async (request) => {
    note('beforeUpdate', request)
    await request.object.save({ inner: request.object.get('outer') })
  })
  AV.Cloud.beforeSave('Order', async ({ object, currentUser }) => {
    const log = await new AV.Object('OrderLog').save({ order: object.get('name') })
    object.set('log', log)
    if (currentUser) object.set('seenBy', (await AV.User.become(currentUser.getSessionToken())).get('username'))
  })
  `,
  afterAll,
)

describe('the six hooks of a class', () => {
  it('receive the object, each with its part', async () => {
    const object = await save('Plain', { title: 'first', parts: ['a'] })
    const id = object.id!
    await expect.poll(() => notesOf(engine, { id, hook: 'afterSave' }), PATIENTLY).toHaveLength(1)
    object.set('title', 'second')
    object.add('parts', 'b')
    await object.save()
    await expect.poll(() => notesOf(engine, { id, hook: 'afterUpdate' }), PATIENTLY).toHaveLength(1)
    await object.destroy()
    await expect.poll(() => notesOf(engine, { id, hook: 'afterDelete' }), PATIENTLY).toHaveLength(1)

    const notes = notesOf(engine).filter(({ object }) => object.objectId === id || object.title === 'first')
    expect(notes.map(({ hook }) => hook)).toEqual([
      'beforeSave',
      'afterSave',
      'beforeUpdate',
      'afterUpdate',
      'beforeDelete',
      'afterDelete',
    ])
    const [beforeSave, afterSave, beforeUpdate, afterUpdate, beforeDelete, afterDelete] = notes
    const times = { createdAt: object.createdAt!.toISOString(), updatedAt: expect.any(String) }
    expect(beforeSave!.object).toEqual({ __type: 'Object', className: 'Plain', title: 'first', parts: ['a'] })
    expect(afterSave!.object).toMatchObject({ ...times, title: 'first', parts: ['a'] })
    for (const note of [beforeUpdate, afterUpdate]) {
      expect(note!.object).toMatchObject({ ...times, title: 'second', parts: ['a', 'b'] })
      expect([...note!.updatedKeys!].sort()).toEqual(['parts', 'title'])
    }
    for (const note of [beforeDelete, afterDelete])
      expect(note!.object).toMatchObject({ ...times, title: 'second', parts: ['a', 'b'] })
    expect(notes.map(({ user }) => user)).toEqual(Array(6).fill(null))
  })

  it('receive the session user and the client address', async () => {
    const user = await AV.User.signUp('hooked-reader', 'password')
    const object = await save('Plain', { title: 'of a user' })
    await AV.User.logOut()
    await expect.poll(() => notesOf(engine, { id: object.id!, hook: 'afterSave' }), PATIENTLY).toHaveLength(1)
    const notes = notesOf(engine).filter((note) => note.object.title === 'of a user')
    expect(notes).toHaveLength(2)
    for (const note of notes) {
      expect(note).toMatchObject({ user: user.id, sessionToken: user.getSessionToken(), remoteAddress: '127.0.0.1' })
    }
  })

  it('run for the master key too', async () => {
    await expect(save('Review', { stars: 1 }, { useMasterKey: true })).rejects.toMatchObject({ code: 142 })
  })
})

describe('beforeSave', () => {
  it('changes, adds and removes fields, and sets an ACL', async () => {
    const user = await AV.User.signUp('hooked-author', 'password')
    const review = await save('Review', { comment: 'a very long text', stars: 5, draft: true })
    const found = await stored(review)
    expect(found.toJSON()).toEqual({
      objectId: review.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      comment: 'a very lon',
      length: 16,
      stars: 5,
    })
    await AV.User.logOut()
    await expect(found.save({ stars: 1 })).rejects.toMatchObject({ code: 403 })
    await AV.User.logIn('hooked-author', 'password')
    await found.save({ stars: 1 })
    expect(user.id).toBe(AV.User.current()!.id)
    await AV.User.logOut()
  })

  it('returns its changes to a client that requests the whole object', async () => {
    const fields = { comment: 'another long text', draft: true }
    const review = await new AV.Object('Review').save(fields, { fetchWhenSave: true })
    expect([review.get('comment'), review.get('length')]).toEqual(['another lo', 17])
  })

  it('reads and sets dates, pointers, files and geo points', async () => {
    const target = await save('Plain', { title: 'target' })
    const file = await AV.File.withURL('a.png', 'http://files.example.org/a.png').save()
    const typed = await save('Typed', {
      when: new Date('2024-05-01T08:00:00.000Z'),
      target,
      place: new AV.GeoPoint(10, 10),
      file,
      bytes: { __type: 'Bytes', base64: 'AAEC' },
    })
    const { body } = await app.request('GET', `/1.1/classes/Typed/${typed.id}`)
    const pointer = { __type: 'Pointer', className: 'Plain', objectId: target.id }
    expect(body).toMatchObject({
      when: { __type: 'Date', iso: '2024-05-01T08:00:01.000Z' },
      target: pointer,
      copy: pointer,
      made: { __type: 'Pointer', className: 'Plain', objectId: 'somewhere' },
      place: { __type: 'GeoPoint', latitude: 11, longitude: 20 },
      file: { __type: 'File', id: file.id, url: 'http://files.example.org/a.png' },
      cover: { __type: 'File', id: file.id },
      bytes: { __type: 'Bytes', base64: 'AAEC' },
      url: 'http://files.example.org/a.png',
    })
  })

  it('sees operations applied, and leaves relations to the write', async () => {
    const member = await save('Plain', { title: 'member' })
    const review = new AV.Object('Review', { comment: 'related' })
    review.increment('stars', 2)
    review.relation('liked').add(member)
    await review.save()
    const notes = notesOf(engine).filter(({ object }) => object.comment === 'related')
    expect(notes[0]!.object).toEqual({ __type: 'Object', className: 'Review', comment: 'related', stars: 2 })
    const found = await stored(review)
    expect(found.get('stars')).toBe(2)
    expect(await found.relation('liked').query().find()).toMatchObject([{ id: member.id }])
  })

  it('rejects with 142 and its own text, and nothing is written', async () => {
    const text = 'Cloud Code validation failed. Error detail : No comment provided!'
    await expect(save('Review', { stars: 4, onlyRefused: 1 })).rejects.toMatchObject({
      code: 142,
      message: expect.stringContaining(text),
    })
    expect(await new AV.Query('Review').equalTo('stars', 4).count()).toBe(0)
    const { body } = await app.request('GET', '/1.1/schemas/Review', { master: true })
    expect(body).toHaveProperty('comment')
    expect(body).not.toHaveProperty('onlyRefused')
  })

  it('passes on JSON in its text unchanged', async () => {
    const { status, body } = await app.request('POST', '/1.1/classes/Review', { body: { comment: 'json' } })
    expect([status, body]).toEqual([
      400,
      { code: 142, error: 'Cloud Code validation failed. Error detail : {"code":4711,"reason":"because"}' },
    ])
  })

  it('that fails rejects the write with the error', async () => {
    await expect(save('Review', { comment: 'fault' })).rejects.toMatchObject({
      code: 142,
      message: expect.stringContaining('Error detail : nothing is a function'),
    })
  })
})

describe('beforeUpdate and beforeDelete', () => {
  it('reject by the resulting and by the stored object', async () => {
    const review = await save('Review', { comment: 'starred', stars: 4 })
    review.increment('stars', 2)
    await expect(review.save()).rejects.toMatchObject({ code: 142, message: expect.stringContaining('Too many stars') })
    expect((await stored(review)).get('stars')).toBe(4)
    const other = AV.Object.createWithoutData('Review', review.id!)
    await other.save({ stars: 5 })
    await expect(other.destroy()).rejects.toMatchObject({ code: 142 })
    expect((await stored(review)).get('stars')).toBe(5)
    await other.save({ stars: 3 })
    await other.destroy()
    expect(await new AV.Query('Review').equalTo('objectId', review.id).count()).toBe(0)
  })
})

describe('hooks that write', () => {
  it('are not called again when they save their own object', async () => {
    const object = await save('Counted', { name: 'loop' })
    const id = object.id!
    await expect.poll(async () => (await stored(object)).get('saves'), PATIENTLY).toBe(1)
    // The save inside afterSave runs beforeUpdate, but no after hook.
    expect(notesOf(engine, { id }).map(({ hook }) => hook)).toEqual(['beforeUpdate'])
    await AV.Object.createWithoutData('Counted', id).save({ name: 'changed' })
    await expect.poll(async () => (await stored(object)).get('updates'), PATIENTLY).toBe(1)
    expect(notesOf(engine, { id, hook: 'afterUpdate' })).toHaveLength(1)
    expect(notesOf(engine, { id, hook: 'beforeUpdate' })).toHaveLength(3)
    expect((await stored(object)).toJSON()).not.toHaveProperty('__ignore_hooks')
  })

  it('of an update can save the same object: the inner change is written first, the outer one on top', async () => {
    const object = await save('Twice', { outer: 1, inner: 0 })
    await object.save({ outer: 2 }, { fetchWhenSave: true })
    const found = await stored(object)
    expect([found.get('outer'), found.get('inner')]).toEqual([2, 2])
    expect(notesOf(engine, { id: object.id! })).toHaveLength(1)
    expect(found.updatedAt).toEqual(object.updatedAt)
  })

  it('write other classes before they respond, also as the user', async () => {
    await AV.User.signUp('hooked-buyer', 'password')
    const order = await save('Order', { name: 'o1' })
    await AV.User.logOut()
    const found = await stored(order)
    expect(found.get('seenBy')).toBe('hooked-buyer')
    expect(await new AV.Query('OrderLog').get(found.get('log').id)).toMatchObject({ attributes: { order: 'o1' } })
  })

  it('need no slot held by the writes they were called for', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `many ${index}`)
    const orders = await Promise.all(names.map((name) => save('Order', { name })))
    expect(new Set(orders.map(({ id }) => id)).size).toBe(60)
  })
})

beforeAll(async () => {
  await AV.User.logOut()
})
