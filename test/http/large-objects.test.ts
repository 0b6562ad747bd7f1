import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const app = await makeApp()

/**
 * Sends from a separate address: unread response data is limited per address, and other tests request large responses meanwhile.
 */
function request(method: string, path: string, options: RequestOptions = {}) {
  return app.request(method, path, { ...options, headers: { ...options.headers, 'x-forwarded-for': '198.51.100.25' } })
}

describe('objects of very different sizes', () => {
  it('are returned unchanged, however many are requested concurrently', async () => {
    // Sizes below and above each compression threshold of the database.
    const texts = [10, 3000, 5000, 20_000, 60_000, 300_000].flatMap((size) => [
      'x'.repeat(size),
      randomBytes(size).toString('base64'),
    ])
    const ids = await Promise.all(
      texts.map(
        async (text) => (await request('POST', '/1.1/classes/Sized', { body: { text } })).body.objectId as string,
      ),
    )
    const read = async (id: string) => (await request('GET', `/1.1/classes/Sized/${id}`)).body.text
    expect(await Promise.all(ids.map(read))).toEqual(texts)
    // One after the other.
    for (const [index, id] of ids.entries()) expect(await read(id)).toBe(texts[index])
    const missing = await request('GET', `/1.1/classes/Sized/${'0'.repeat(24)}`)
    expect(missing.body).toEqual({})
  })

  it('of several megabytes are written and read concurrently', async () => {
    const text = 'y'.repeat(3 * 1024 * 1024)
    const made = await Promise.all(
      Array.from({ length: 8 }, () => request('POST', '/1.1/classes/Huge', { body: { text } })),
    )
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    const found = await Promise.all(made.map(({ body }) => request('GET', `/1.1/classes/Huge/${body.objectId}`)))
    expect(found.map(({ body }) => (body.text as string).length)).toEqual(Array.from({ length: 8 }, () => text.length))
  })

  it('are updated like small ones, whichever part is large', async () => {
    const long = 'é😀"\\'.repeat(100_000)
    const many = Array.from({ length: 400 }, (_, n) => `${n} ${'z'.repeat(1000)}`)
    const made = await request('POST', '/1.1/classes/Changed', { body: { text: long, small: 1, list: ['a'] } })
    const path = `/1.1/classes/Changed/${made.body.objectId}`
    const change = async (body: object) => {
      expect((await request('PUT', path, { body })).status).toBe(200)
      return (await request('GET', path)).body
    }
    expect((await request('GET', path)).body).toMatchObject({ text: long, small: 1, list: ['a'] })
    expect(await change({ text: `${long}!`, small: 2, object: { deep: long } })).toMatchObject({
      text: `${long}!`,
      small: 2,
      object: { deep: long },
      list: ['a'],
    })
    expect((await change({ 'object.deep': many })).object).toEqual({ deep: many })
    expect((await change({ list: { __op: 'Add', objects: many } })).list).toEqual(['a', ...many])
    expect((await change({ list: { __op: 'AddUnique', objects: ['b', ...many] } })).list).toEqual(['a', ...many, 'b'])
    expect((await change({ list: { __op: 'Remove', objects: many } })).list).toEqual(['a', 'b'])
  })

  it('beyond 16 MB are rejected on create and update', async () => {
    const half = 'z'.repeat(8.5 * 1024 * 1024)
    const made = await request('POST', '/1.1/classes/Grown', { body: { half } })
    expect(made.status).toBe(201)
    const path = `/1.1/classes/Grown/${made.body.objectId}`
    const { body } = await request('PUT', path, { body: { other: half } })
    expect(body.code).toBe(116)
    expect(Object.keys((await request('GET', path)).body)).not.toContain('other')
  })
})
