import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()

const URL_OF_CAT = 'https://files.example.com/cats/cat.png'
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  app.request('POST', `/1.1/${path}`, { body, headers })
const read = async (id: string) => (await app.request('GET', `/1.1/files/${id}`)).body
const refusal = (code: number, text: string) => ({
  status: 400,
  body: { code, error: expect.stringContaining(text) },
})

describe('the response to a new file record', () => {
  it.each(['files', 'classes/_File', 'classes/files', 'classes/_file', 'files/cat.png'])(
    'shows the record: POST /1.1/%s',
    async (path) => {
      const metaData = { __source: 'external', owner: 'unknown' }
      const { status, headers, body } = await post(path, { name: 'cat.png', url: URL_OF_CAT, metaData })
      expect(status).toBe(201)
      expect(headers.get('location')).toBe(`/1.1/classes/_File/${body.objectId}`)
      expect(body).toEqual({
        objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
        createdAt: expect.any(String),
        updatedAt: body.createdAt,
        name: 'cat.png',
        url: URL_OF_CAT,
        mime_type: 'application/octet-stream',
        metaData,
      })
      expect(await read(body.objectId)).toEqual(body)
    },
  )

  it('shows each record in a batch', async () => {
    const item = (path: string) => ({ method: 'POST', path: `/1.1/${path}`, body: { name: 'a', url: URL_OF_CAT } })
    const { body } = await post('batch', { requests: ['files', 'classes/files', 'classes/files'].map(item) })
    for (const { success } of body) expect(success).toMatchObject({ name: 'a', url: URL_OF_CAT })
  })
})

// Objective-C reads and deletes files at `classes/_file/<id>` (protocol/files, Endpoints).
describe('the paths of a record', () => {
  const bases = ['files', 'classes/_File', 'classes/files', 'classes/_file']

  it.each(bases)('%s finds, reads and deletes it, and rejects updates', async (base) => {
    const path = `/1.1/${base}`
    const made = (await post('files', { name: base, url: URL_OF_CAT })).body
    const where = JSON.stringify({ name: base })
    expect((await app.request('GET', `${path}/${made.objectId}`)).body).toEqual(made)
    expect((await app.request('GET', path, { query: { where } })).body.results).toEqual([made])
    const requests = [{ method: 'GET', path: `${path}/${made.objectId}` }]
    expect((await post('batch', { requests })).body).toEqual([{ success: made }])
    const change = await app.request('PUT', `${path}/${made.objectId}`, { body: { name: 'x' }, master: true })
    expect(change.body.code).toBe(119)
    expect((await app.request('DELETE', `${path}/${made.objectId}`)).status).toBe(403)
    expect(await app.request('DELETE', `${path}/${made.objectId}`, { master: true })).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await read(made.objectId)).toEqual({})
  })

  it.each(['_File', 'files', '_file'])('scan/classes/%s scans the records', async (name) => {
    const made = (await post('files', { name: `scan ${name}`, url: URL_OF_CAT })).body
    const { body } = await app.request('GET', `/1.1/scan/classes/${name}`, { master: true, query: { limit: '1000' } })
    expect(body.results.map(({ objectId }: { objectId: string }) => objectId)).toContain(made.objectId)
  })

  it.each(['_FILE', '_Files', '_user', '_role', '_installation'])('classes/%s is not a class', async (name) => {
    expect((await app.request('GET', `/1.1/classes/${name}`)).status).toBeGreaterThanOrEqual(400)
  })
})

// The forms that clients send for an external file (protocol/files, External files).
describe('a record of an external file', () => {
  it('from JavaScript before 4.8 has its name in the path', async () => {
    const body = { name: 'my cat.png', metaData: { __source: 'external' }, url: URL_OF_CAT }
    const reply = await post('files/my%20cat.png', body)
    expect(reply).toMatchObject({ status: 201, body: { name: 'my cat.png', url: URL_OF_CAT } })
    const nameless = await post('files/pets/cat%3F.png', { url: URL_OF_CAT })
    expect(nameless).toMatchObject({ status: 201, body: { name: 'pets/cat?.png' } })
  })

  it('from Python has null for unknown members', async () => {
    const body = { name: 'cat.png', ACL: null, metaData: { __source: 'external' }, mime_type: null, url: URL_OF_CAT }
    const { status, body: made } = await post('files', body)
    expect([status, made.mime_type]).toEqual([201, 'application/octet-stream'])
    expect(await read(made.objectId)).toMatchObject({ name: 'cat.png', url: URL_OF_CAT })
  })

  it('from PHP has an empty list for metaData', async () => {
    const { status, body } = await post('files', {
      name: 'a',
      ACL: null,
      mime_type: null,
      metaData: [],
      url: URL_OF_CAT,
    })
    expect([status, body.metaData]).toEqual([201, {}])
    expect(await read(body.objectId)).toMatchObject({ metaData: {} })
  })

  it('from Go has no URL', async () => {
    const body = { __type: 'File', name: 'go.txt', mime_type: 'text/plain', metaData: { __source: 'external' } }
    const { status, body: made } = await post('files', body)
    expect(status).toBe(201)
    expect(await read(made.objectId)).toEqual({
      objectId: made.objectId,
      createdAt: made.createdAt,
      updatedAt: made.createdAt,
      name: 'go.txt',
      mime_type: 'text/plain',
      metaData: { __source: 'external' },
    })
  })

  it('gets its name from its URL when it has none', async () => {
    expect((await post('files', { url: URL_OF_CAT, name: null })).body.name).toBe('cat.png')
    expect((await post('files', { url: 'https://files.example.com' })).body.name).toBe('file')
  })

  it.each([
    ['neither URL nor name', {}, 1, "needs 'url'"],
    ['null for both', { url: null, name: null }, 1, "needs 'url'"],
    ['a URL of another scheme', { name: 'a', url: 'ftp://example.com/a' }, 1, "'url' of a file record"],
    ['an empty URL', { name: 'a', url: '' }, 1, "'url' of a file record"],
    ['a URL that is no text', { name: 'a', url: 5 }, 1, "'url' of a file record"],
    ['bytes in its body', { name: 'a', base64: 'AAAA' }, 1, 'Upload bytes with POST'],
    ['a name that is no text', { name: 5, url: URL_OF_CAT }, 111, "'name'"],
    ['a mime_type that is no text', { mime_type: {}, url: URL_OF_CAT }, 111, "'mime_type'"],
    ['a list of something for metaData', { metaData: [1], url: URL_OF_CAT }, 111, 'metaData'],
  ])('with %s is rejected', async (_fault, body, code, text) => {
    expect(await post('files', body)).toMatchObject(refusal(code, text))
  })
})
