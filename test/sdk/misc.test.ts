import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save } from '../support/sdk.ts'

const app = await makeSdkApp()

describe('AV.Cloud', () => {
  it('getServerDate returns the server time', async () => {
    const before = Date.now()
    const date = await AV.Cloud.getServerDate()
    expect(date).toBeInstanceOf(Date)
    expect(date.getTime()).toBeGreaterThanOrEqual(before)
    expect(date.getTime()).toBeLessThanOrEqual(Date.now())
  })
})

describe('AV.request', () => {
  it('calls any endpoint with the credentials of the app', async () => {
    expect(await AV.request({ method: 'GET', path: '/date' })).toEqual({ __type: 'Date', iso: expect.any(String) })
    const made = await AV.request({ method: 'POST', path: '/classes/Post', data: { title: 'Hello' } })
    expect(await AV.request({ method: 'GET', path: `/classes/Post/${made.objectId}` })).toMatchObject({
      ...made,
      title: 'Hello',
    })
  })

  it('sends objects of the query as JSON', async () => {
    await save('Asked', { n: 1 })
    await save('Asked', { n: 2 })
    const query = { where: { n: { $gt: 1 } }, keys: 'n', count: 1 }
    const { results, count } = await AV.request({ method: 'GET', path: '/classes/Asked', query })
    expect(results).toMatchObject([{ n: 2 }])
    expect(count).toBe(1)
  })

  it('fails with status, code and text', async () => {
    await expect(AV.request({ method: 'GET', path: '/classes/NoSuchClass' })).rejects.toMatchObject({
      code: 101,
      rawMessage: expect.stringContaining("Class or object doesn't exists."),
      message: expect.stringContaining('[404 GET'),
    })
  })

  it('reads schemas with the master key', async () => {
    await save('Described', { text: 'a', n: 1, owner: await save('Owner', {}) })
    const authOptions = { useMasterKey: true }
    const schemas = await AV.request({ method: 'GET', path: '/schemas', authOptions })
    expect(schemas.Described).toMatchObject({
      text: { type: 'String' },
      n: { type: 'Number' },
      owner: { type: 'Pointer', className: 'Owner' },
    })
    expect(await AV.request({ method: 'GET', path: '/schemas/Described', authOptions })).toEqual(schemas.Described)
    await expect(AV.request({ method: 'GET', path: '/schemas' })).rejects.toMatchObject({ code: 401 })
  })

  it('runs a batch in order', async () => {
    const post = await save('Post', { n: 1 })
    const path = `/1.1/classes/Post/${post.id}`
    const results = await AV.request({
      method: 'POST',
      path: '/batch',
      data: {
        requests: [
          { method: 'PUT', path, body: { n: 2 } },
          { method: 'GET', path },
          { method: 'DELETE', path },
          { method: 'GET', path },
        ],
      },
    })
    expect(results).toEqual([
      { success: { objectId: post.id, updatedAt: expect.any(String) } },
      { success: expect.objectContaining({ n: 2 }) },
      { success: {} },
      { success: null },
    ])
  })
})

describe('settings of the SDK', () => {
  it('setProduction is accepted', async () => {
    try {
      for (const production of [false, true]) {
        AV.setProduction(production)
        expect((await save('Post', { production })).id).toBeDefined()
      }
    } finally {
      AV.setProduction(true)
    }
  })

  it('hook flags are not stored', async () => {
    const { hookKey } = (await app.admin('GET', '')).body as { hookKey: string }
    Object.assign(AV, { hookKey })
    const post = new AV.Object('Post').set('n', 1)
    post.disableBeforeHook()
    post.disableAfterHook()
    await post.save()
    await post.save({ n: 2 })
    const { body } = await app.request('GET', `/1.1/classes/Post/${post.id}`)
    expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'n', 'objectId', 'updatedAt'])
    await AV.Object.destroyAll([post])
    expect((await app.request('GET', `/1.1/classes/Post/${post.id}`)).body).toEqual({})
  })

  it('an unknown session token is an anonymous caller', async () => {
    expect((await save('Post', {}, { sessionToken: 'token-of-nobody' })).id).toBeDefined()
  })

  it('rejects the key of another app', async () => {
    AV.masterKey = 'not-the-master-key'
    try {
      await expect(save('Post', {}, { useMasterKey: true })).rejects.toMatchObject({ code: 401 })
    } finally {
      AV.masterKey = app.masterKey
    }
  })
})

describe('objects as text', () => {
  it('stringify and parse keep an object from the server', async () => {
    const owner = await save('Owner', { name: 'Ann' })
    const post = await save('Post', { title: 'Hello', owner, at: new Date(0), where: new AV.GeoPoint(1, 2) })
    const read = await new AV.Query<AV.Object>('Post').include('owner').get(post.id!)
    const copy = AV.parse(AV.stringify(read)!) as AV.Object
    expect(copy.id).toBe(post.id)
    expect(copy.get('owner').get('name')).toBe('Ann')
    expect(copy.get('at')).toEqual(new Date(0))
    expect(copy.get('where')).toMatchObject({ latitude: 1, longitude: 2 })
    await copy.save({ title: 'Bye' })
    expect((await new AV.Query<AV.Object>('Post').get(post.id!)).get('title')).toBe('Bye')
  })
})
