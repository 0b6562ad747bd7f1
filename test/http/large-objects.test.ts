import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()

describe('objects of very different size', () => {
  it('come as they were stored, however many are asked for at once', async () => {
    // Compressed by the database or not: from nothing to above each of its thresholds.
    const texts = [10, 3000, 5000, 20_000, 60_000, 300_000].flatMap((size) => [
      'x'.repeat(size),
      randomBytes(size).toString('base64'),
    ])
    const ids = await Promise.all(
      texts.map(
        async (text) => (await app.request('POST', '/1.1/classes/Sized', { body: { text } })).body.objectId as string,
      ),
    )
    const read = async (id: string) => (await app.request('GET', `/1.1/classes/Sized/${id}`)).body.text
    expect(await Promise.all(ids.map(read))).toEqual(texts)
    // Alone, one after the other.
    for (const [index, id] of ids.entries()) expect(await read(id)).toBe(texts[index])
    const missing = await app.request('GET', `/1.1/classes/Sized/${'0'.repeat(24)}`)
    expect(missing.body).toEqual({})
  })

  it('of several megabytes, written and read at once, are all answered', async () => {
    const text = 'y'.repeat(3 * 1024 * 1024)
    const made = await Promise.all(
      Array.from({ length: 8 }, () => app.request('POST', '/1.1/classes/Huge', { body: { text } })),
    )
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    const found = await Promise.all(made.map(({ body }) => app.request('GET', `/1.1/classes/Huge/${body.objectId}`)))
    expect(found.map(({ body }) => (body.text as string).length)).toEqual(Array.from({ length: 8 }, () => text.length))
  })
})
