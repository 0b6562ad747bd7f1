import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }

const URL_OF_CAT = 'https://files.example.com/cats/cat.png'
const record = (name = 'cat.png', url = URL_OF_CAT) => AV.File.withURL(name, url).save()

describe('a file record', () => {
  it('is created for a URL, and read back unchanged', async () => {
    const file = AV.File.withURL('cat.png', URL_OF_CAT)
    file.metaData('color', 'black')
    await file.save()
    expect(file.id).toMatch(/^[0-9a-f]{24}$/)
    const read = await AV.File.createWithoutData(file.id!).fetch()
    expect(read.name()).toBe('cat.png')
    expect(read.url()).toBe(URL_OF_CAT)
    expect(read.metaData()).toMatchObject({ __source: 'external', color: 'black' })
    expect(read.get('mime_type')).toBe('application/octet-stream')
    expect(read.createdAt).toBeInstanceOf(Date)
    expect(read.updatedAt).toEqual(read.createdAt)
  })

  it('requires an http or https URL', async () => {
    await expect(record('a', 'ftp://example.com/a')).rejects.toMatchObject({ code: 1 })
    const reply = await app.request('POST', '/1.1/files', { body: { name: 'a', url: 'a' } })
    expect(reply).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('is found by URL and by name', async () => {
    const file = await record('unique.txt', 'https://files.example.com/unique.txt')
    const query = () => new AV.Query<AV.File>('_File')
    const byUrl = await query().equalTo('url', 'https://files.example.com/unique.txt').find()
    expect(byUrl.map(({ id }) => id)).toEqual([file.id])
    expect((await query().equalTo('name', 'unique.txt').first())!.id).toBe(file.id)
  })

  it('has an ACL', async () => {
    const file = AV.File.withURL('secret.txt', 'https://files.example.com/secret.txt')
    file.setACL(new AV.ACL({}))
    await file.save()
    await expect(AV.File.createWithoutData(file.id!).fetch()).rejects.toMatchObject({ code: 403 })
    expect((await AV.File.createWithoutData(file.id!).fetch({}, master)).name()).toBe('secret.txt')
  })

  it('is immutable: error 119', async () => {
    const file = await record()
    for (const path of [`/1.1/files/${file.id}`, `/1.1/classes/_File/${file.id}`, `/1.1/classes/files/${file.id}`]) {
      const reply = await app.request('PUT', path, { body: { name: 'dog.png' }, master: true })
      expect(reply).toMatchObject({ status: 400, body: { code: 119 } })
    }
    expect((await AV.File.createWithoutData(file.id!).fetch()).name()).toBe('cat.png')
  })

  it('can be deleted only with the master key', async () => {
    const file = await record()
    await expect(file.destroy()).rejects.toMatchObject({
      code: 403,
      rawMessage: "Forbidden to delete by class '_File' permissions.",
    })
    await file.destroy(master)
    expect((await app.request('GET', `/1.1/files/${file.id}`)).body).toEqual({})
  })

  it('can be deleted by clients when the class allows it', async () => {
    await app.admin('PATCH', '/classes/_File', { permissions: { delete: 'public' } })
    await (await record()).destroy()
    await app.admin('PATCH', '/classes/_File', { permissions: { delete: 'master' } })
  })

  it('is checked by censor', async () => {
    const file = await record()
    expect(await file.censor()).toBe('pass')
    expect(await AV.File.censor(file.id!)).toBe('pass')
    await expect(AV.File.censor('0123456789abcdef01234567')).rejects.toMatchObject({ code: 101 })
    expect(await app.request('POST', `/1.1/files/${file.id}/censor`)).toMatchObject({
      status: 401,
      body: { code: 401, error: 'Unauthorized.' },
    })
  })

  it('returns the creation response of any object, with the path of its class', async () => {
    const reply = await app.request('POST', '/1.1/files', {
      body: { name: 'a.txt', url: 'https://example.com/a.txt', mime_type: 'text/plain' },
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ objectId: expect.any(String), createdAt: expect.any(String) })
    expect(reply.headers.get('location')).toBe(`/1.1/classes/_File/${reply.body.objectId}`)
    const { body } = await app.request('GET', `/1.1/files/${reply.body.objectId}`)
    expect(body).toMatchObject({ name: 'a.txt', url: 'https://example.com/a.txt', mime_type: 'text/plain' })
  })
})

describe('a file in an object', () => {
  it('is expanded without include', async () => {
    const file = await record()
    const post = await save('Post', { picture: file })
    const { body } = await app.request('GET', `/1.1/classes/Post/${post.id}`)
    expect(body.picture).toMatchObject({
      __type: 'File',
      id: file.id,
      objectId: file.id,
      name: 'cat.png',
      url: URL_OF_CAT,
      mime_type: 'application/octet-stream',
      metaData: { __source: 'external' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const [found] = await new AV.Query<AV.Object>('Post').equalTo('objectId', post.id).find()
    expect((found!.get('picture') as AV.File).url()).toBe(URL_OF_CAT)
  })

  it.each([
    ['a File with id', (id: string) => ({ __type: 'File', id })],
    ['a File with objectId', (id: string) => ({ __type: 'File', objectId: id })],
    ['a Pointer to _File', (id: string) => ({ __type: 'Pointer', className: '_File', objectId: id })],
  ])('is set and found as %s', async (form, wire) => {
    const file = await record()
    const picture = wire(file.id!)
    const post = await app.request('POST', '/1.1/classes/Post', { body: { picture, form } })
    const { body } = await app.request('GET', '/1.1/classes/Post', { query: { where: JSON.stringify({ picture }) } })
    expect(body.results.map((result: { objectId: string }) => result.objectId)).toEqual([post.body.objectId])
    expect(body.results[0].picture).toMatchObject({ __type: 'File', objectId: file.id, url: URL_OF_CAT })
  })

  it('is found by the file itself', async () => {
    const file = await record()
    const post = await save('Post', { picture: file })
    const found = await new AV.Query<AV.Object>('Post').equalTo('picture', file).find()
    expect(found.map(({ id }) => id)).toEqual([post.id])
  })

  it('in an array is expanded by include', async () => {
    const [first, second] = [await record('1.png', `${URL_OF_CAT}?1`), await record('2.png', `${URL_OF_CAT}?2`)]
    const album = await save('Album', { pictures: [first, second] })
    const plain = await app.request('GET', `/1.1/classes/Album/${album.id}`)
    expect(plain.body.pictures).toEqual([first, second].map(({ id }) => ({ __type: 'File', id, objectId: id })))
    const read = await new AV.Query<AV.Object>('Album').include('pictures').get(album.id!)
    expect(read.get('pictures').map((file: AV.File) => file.url())).toEqual([`${URL_OF_CAT}?1`, `${URL_OF_CAT}?2`])
  })

  it('of an included object is expanded as well', async () => {
    const post = await save('Post', { picture: await record() })
    const comment = await save('Comment', { post })
    const read = await new AV.Query<AV.Object>('Comment').include('post').get(comment.id!)
    expect(read.get('post').get('picture').url()).toBe(URL_OF_CAT)
  })

  it('carries its objectId wherever it is returned, so that the SDK can save the object again', async () => {
    const [kept, gone] = [await record(), await record()]
    const nested = { here: gone, deep: [{ there: kept }] }
    const post = await save('Post', { picture: gone, pictures: [kept, gone], nested })
    const comment = await save('Comment', { post })
    await gone.destroy(master)

    const where = JSON.stringify({ objectId: post.id })
    const path = `/1.1/classes/Post/${post.id}`
    const answers = await Promise.all([
      app.request('GET', path),
      app.request('GET', path, { query: { keys: 'picture,pictures,nested' } }),
      app.request('GET', path, { query: { include: 'pictures,nested.here' } }),
      app.request('GET', '/1.1/classes/Post', { query: { where } }),
      app.request('GET', '/1.1/scan/classes/Post', { query: { where }, master: true }),
      app.request('GET', '/1.1/cloudQuery', { query: { cql: `select * from Post where objectId='${post.id}'` } }),
      app.request('GET', `/1.1/classes/Comment/${comment.id}`, { query: { include: 'post' } }),
      app.request('PUT', `${path}?fetchWhenSave=true`, { body: { pictures: { __op: 'Add', objects: [] } } }),
      app.request('POST', '/1.1/classes/Post?fetchWhenSave=true', {
        body: { picture: { __type: 'File', id: gone.id }, pictures: [{ __type: 'File', objectId: gone.id }] },
      }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300)
      expect(filesIn(body).length).toBeGreaterThan(0)
      for (const file of filesIn(body)) expect(file).toMatchObject({ objectId: file.id })
    }

    const read = await AV.Object.createWithoutData('Post', post.id!).fetch()
    for (const file of read.get('pictures') as AV.File[]) expect(file.id).toMatch(/^[0-9a-f]{24}$/)
    expect(() => read.toJSON()).not.toThrow()
    const { pictures, nested: deep } = read.toFullJSON() as Record<string, unknown>
    await read.save({ title: 'again', pictures: read.get('pictures'), picture: read.get('picture') })
    expect(filesIn({ pictures, deep }).length).toBe(4)
    const saved = (await app.request('GET', path)).body
    expect(saved.pictures).toEqual([kept, gone].map(({ id }) => ({ __type: 'File', id, objectId: id })))
  })

  it('whose record is deleted stays a reference', async () => {
    const file = await record()
    const post = await save('Post', { picture: file })
    await file.destroy(master)
    expect((await stored(post)).has('picture')).toBe(true)
    const { body } = await app.request('GET', `/1.1/classes/Post/${post.id}`)
    expect(body.picture).toEqual({ __type: 'File', id: file.id, objectId: file.id })
  })
})

/** Returns all references to files in a value. */
// biome-ignore lint/suspicious/noExplicitAny: references stand anywhere in an answer
function filesIn(value: any): any[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.values(value).flatMap(filesIn)
  return value.__type === 'File' ? [value, ...below] : below
}
