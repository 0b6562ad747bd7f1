import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const MEGABYTE = 1024 * 1024
/** A response can have 6 MB of fields; ids, times and braces are not counted. */
const LIMIT = 6.2 * MEGABYTE

const app = await makeApp()

/**
 * Sends from a separate address: unread response data is limited per address, and other tests request large responses meanwhile.
 */
function request(method: string, path: string, options: RequestOptions = {}) {
  return app.request(method, path, { ...options, headers: { ...options.headers, 'x-forwarded-for': '198.51.100.24' } })
}

async function create(className: string, fields: object): Promise<string> {
  const { status, body } = await request('POST', `/1.1/classes/${className}`, { body: fields })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.objectId
}

async function find(className: string, query: Record<string, string>) {
  const { status, body } = await request('GET', `/1.1/classes/${className}`, { query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.results as Record<string, unknown>[]
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

describe('a response of more than 6 MB is truncated', async () => {
  const large = await create('Large', { text: 'x'.repeat(400 * 1024) })

  it('with large objects', async () => {
    for (let n = 0; n < 20; n++) await create('Page', { n, text: 'y'.repeat(400 * 1024) })
    const results = await find('Page', { limit: '1000', order: 'n' })
    expect(results.map(({ n }) => n)).toEqual(Array.from({ length: 15 }, (_, n) => n))
    // The connection with the canceled query continues to work.
    for (let round = 0; round < 20; round++) expect(await find('Page', { limit: '1', keys: 'n' })).toHaveLength(1)
  })

  it('with many pointers to the same large object, counted each time', async () => {
    for (let n = 0; n < 30; n++) await create('Small', { n, large: pointer('Large', large) })
    const results = await find('Small', { include: 'large', order: 'n', limit: '1000' })
    expect(results).toHaveLength(15)
    for (const result of results) expect((result.large as { text: string }).text).toHaveLength(400 * 1024)
    expect(await find('Small', { limit: '1000' })).toHaveLength(30)
  })

  it('within one object, whose remaining pointers stay unexpanded', async () => {
    const id = await create('List', { items: Array.from({ length: 1000 }, () => pointer('Large', large)) })
    const { body } = await request('GET', `/1.1/classes/List/${id}`, { query: { include: 'items' } })
    expect(JSON.stringify(body).length).toBeLessThan(LIMIT)
    const shown = body.items.filter((item: { text?: string }) => item.text !== undefined)
    expect(shown).toHaveLength(15)
    expect(body.items.at(-1)).toEqual(pointer('Large', large))
  })

  it('with large lists of pointers below other pointers', async () => {
    const list = await create('List', { items: Array.from({ length: 2000 }, () => pointer('Large', large)) })
    for (let n = 0; n < 40; n++) await create('Owner', { n, list: pointer('List', list) })
    const results = await find('Owner', { include: 'list,list.items', order: 'n', limit: '1000' })
    expect(results.length).toBeGreaterThan(0)
    expect(JSON.stringify(results).length).toBeLessThan(LIMIT)
  })

  it('and a scan continues after the last returned object', async () => {
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { include: 'large', limit: '20', ...(cursor && { cursor }) }
      const { body } = await request('GET', '/1.1/scan/classes/Small', { query, master: true })
      expect(JSON.stringify(body).length).toBeLessThan(LIMIT)
      seen.push(...body.results.map(({ n }: { n: number }) => n))
      cursor = body.cursor
    } while (cursor)
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n))
    expect(new Set(seen).size).toBe(30)
  })
})

describe('a batch', () => {
  it('skips its remaining items once its responses reach 24 MB', async () => {
    await create('Half', { text: 'z'.repeat(5 * MEGABYTE) })
    const get = { method: 'GET', path: '/1.1/classes/Half' }
    const write = { method: 'POST', path: '/1.1/classes/Late', body: { late: true }, params: { new: true } }
    const requests = [...Array.from({ length: 10 }, () => get), write]
    const { status, body } = await request('POST', '/1.1/batch', { body: { requests } })
    expect(status).toBe(200)
    expect(body).toHaveLength(requests.length)
    const done = body.filter((item: { success?: object }) => item.success)
    expect(done).toHaveLength(5)
    expect(body.at(-1).error).toEqual({ code: 1, error: expect.stringContaining('24 MB') })
    expect((await request('GET', '/1.1/classes/Late')).body.code).toBe(101)
  })

  it('of more than 1000 reads is rejected', async () => {
    const requests = Array.from({ length: 1001 }, () => ({ method: 'GET', path: '/1.1/classes/Half' }))
    const answer = await request('POST', '/1.1/batch', { body: { requests } })
    expect(answer).toMatchObject({ status: 400, body: { code: 1, error: expect.stringContaining('1000') } })
  })
})
