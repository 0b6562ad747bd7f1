import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportState } from '../../import/batch.ts'
import type { Management } from '../management.ts'
import { lookUpClass } from './class-lookup.ts'
import { objectsOf } from './objects-of.ts'
import { Pace } from './pace.ts'
import type { PullTarget } from './part.ts'
import { allRanks, boardsOf, countRanks } from './pull-boards.ts'
import { pullChatLists } from './pull-chat-lists.ts'
import { messagePages } from './pull-messages.ts'
import { membersOf } from './pull-relation.ts'
import { SourceApp } from './source-app.ts'
import { schemasOf } from './source-schemas.ts'

// A source is an untrusted server: its responses must neither block a pull forever nor crash the program.

let respond: (request: IncomingMessage, response: ServerResponse) => void = () => {}
let requests = 0
const server = createServer((request, response) => {
  requests++
  respond(request, response)
})
let url = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Requests after which a test aborts an endless reading. */
const MANY = 400

const sourceAt = (address: string) =>
  new SourceApp({ url: address, appId: 'app', masterKey: 'the-key', pace: new Pace(1000), say: () => {} })

/**
 * Creates a source with these responses.
 * @param answer returns text, or a value to send as JSON; the number of the request starts at 0
 */
function source(answer: (path: string, number: number) => unknown): SourceApp {
  requests = 0
  respond = (request, response) => {
    const number = requests - 1
    if (number > MANY) return void response.writeHead(400).end('{"error":"ENDLESS"}')
    const body = answer(decodeURIComponent(request.url!), number)
    response.setHeader('content-type', 'application/json')
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  return sourceAt(url)
}

/** Returns the failure that a reading ends with. */
async function failureOf(reading: AsyncIterable<unknown> | Promise<unknown>): Promise<string> {
  try {
    if (reading instanceof Promise) await reading
    else for await (const _ of reading);
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

const everything = { after: null, since: null }
const page = (...ids: readonly unknown[]) => ({ results: ids.map((objectId) => ({ objectId })), count: 1_000_000 })
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('pages without an end', () => {
  it.each<[string, (path: string, number: number) => unknown]>([
    ['the same page', () => page('a', 'b')],
    ['two pages in turn', (_, number) => (number % 2 === 0 ? page('a') : page('b'))],
    ['ids that descend', (_, number) => page(`x${String(9999 - number)}`)],
    ['ids in no order', () => page('b', 'a')],
    ['an id twice', () => page('a', 'a')],
  ])('of objects fail: %s', async (_, answer) => {
    expect(await failureOf(objectsOf(source(answer), 'Post', everything))).toMatch(/not return .* in the order of ids/)
  })

  it('of members fail', async () => {
    const relation = { className: 'Post', field: 'likes', targetClass: 'Like' }
    const answer = (path: string, number: number) => (path.includes('batch') ? [] : page(number % 2 === 0 ? 'a' : 'b'))
    expect(await failureOf(membersOf(source(answer), relation, ['p1']))).toMatch(/in the order of ids/)
  })

  it.each<[string, (number: number) => object[]]>([
    ['the same', () => [{ timestamp: 5, 'msg-id': 'a' }]],
    [
      'two in turn',
      (number) => [
        { timestamp: 5, 'msg-id': `m${number % 2}` },
        { timestamp: 5, 'msg-id': `m${number % 2}` },
      ],
    ],
    ['ever newer ones', (number) => [{ timestamp: number, 'msg-id': `m${number}` }]],
    ['without ids', () => [{ timestamp: 5 }]],
    ['with ids that no mark can hold', (number) => [{ timestamp: 9999 - number, 'msg-id': 'x'.repeat(5000) }]],
  ])('of messages end: %s', async (name, answer) => {
    const failure = await failureOf(messagePages(source((_, number) => answer(number))))
    // A page with only the last message again is the end.
    expect(failure).toMatch(name === 'the same' ? /^none$/ : /cannot be read to the end/)
  })

  it.each<[string, (number: number) => unknown]>([
    ['the same', () => ({ results: [{ user: 'a', statisticValue: 1 }] })],
    ['three in turn', (number) => ({ results: [{ user: `u${number % 3}`, statisticValue: 1 }] })],
  ])('of ranks fail: %s', async (_, answer) => {
    const board = { name: 'score', memberType: '_User', version: 0 }
    expect(
      await failureOf(
        allRanks(
          source((_, number) => answer(number)),
          board,
          0,
        ),
      ),
    ).toMatch(/same page/)
  })

  it('of leaderboards end', async () => {
    const boards = await boardsOf(source(() => ({ results: [{ statisticName: 'a' }, { statisticName: 'b' }] })))
    expect(boards).toHaveLength(2)
  })

  it.each<[string, { readonly [what: string]: (number: number) => unknown }]>([
    ['subscribers', { subscribers: (number: number) => [{ subscriber: `c${number % 2}`, timestamp: 1 }] }],
    ['blacklists', { lists: (number: number) => ({ client_ids: ['x'], next: `n${number % 2}` }) }],
    ['conversations', { conversations: () => page('c1') }],
    ['conversations without an id', { conversations: () => ({ results: [{}, { objectId: '../x' }] }) }],
  ])('of %s end', async (_, { subscribers, lists, conversations }) => {
    const answer = (path: string, number: number) => {
      if (path.includes('/classes/_Conversation')) {
        if (conversations) return conversations(number)
        return number === 0 ? { results: [{ objectId: 'c1', sys: true }] } : { results: [] }
      }
      if (path.includes('/subscribers')) return subscribers?.(number) ?? []
      return lists?.(number) ?? { client_ids: [] }
    }
    const failure = await failureOf(pullChatLists(source(answer), target(), { details: true }))
    expect(failure).not.toMatch(/ENDLESS/)
    expect(failure).toMatch(conversations ? /^none$|in the order of ids/ : /same pages/)
  })
})

/** Creates the target of a pull, which accepts everything. */
function target(): PullTarget {
  const state = { place: { entry: 0, record: 0 }, mark: null } as unknown as ImportState
  const outcome = { counts: { read: 0, created: 0, updated: 0, existing: 0, rejected: 0 }, notes: {} }
  const management = { url, request: async () => state, sendText: async () => outcome } as unknown as Management
  return {
    management,
    appPath: '/admin/apps/app',
    sourceApp: 'app',
    onConflict: 'newer',
    strict: false,
    again: false,
    onBatch: () => {},
  }
}

describe('invalid responses', () => {
  it.each([
    ['deep', `{"results":[{"objectId":"a","x":${deep(100_000)}}]}`, /nested more than/],
    ['deep and large', deep(4_000_000), /nested more than/],
    ['of very many values', `[${'[],'.repeat(4_100_000)}0]`, /more than 4000000 values/],
    ['null', 'null', /must be a JSON object/],
    ['a list', '[]', /must be a JSON object/],
  ])('fail a request with a clear error: %s', async (_, text, expected) => {
    expect(await failureOf(source(() => text).object('/1.1/schemas'))).toMatch(expected)
  })

  it.each([
    ['no results', {}, /has no 'results'/],
    ['results that are not a list', { results: 'x' }, /has no 'results'/],
    ['results that are not objects', { results: [null] }, /without 'objectId'/],
    ['an id that is not a string', page(5), /without 'objectId'/],
    ['only invalid object ids', page('../x', 'a b', 'x'.repeat(5000)), /valid 'objectId'/],
    [
      'two lists',
      '{"results":[{"objectId":"a"}],"results":[{"objectId":"b"},{"objectId":"c"}]}',
      /more than one 'results'/,
    ],
  ])('of a query fail with a clear error: %s', async (_, body, expected) => {
    expect(
      await failureOf(
        objectsOf(
          source(() => body),
          'Post',
          everything,
        ),
      ),
    ).toMatch(expected)
  })

  it('keep an object with an invalid id as a rejected one, and continue after the others', async () => {
    const answer = (path: string, number: number) => {
      if (path.includes('count=1')) return { results: [], count: number < 3 ? 1 : 0 }
      return number === 0 ? page('a', '../x', 'b') : page('c')
    }
    const read: unknown[] = []
    for await (const objects of objectsOf(source(answer), 'Post', everything)) read.push(...objects.map(({ id }) => id))
    expect(read).toEqual(['a', null, 'b', 'c'])
  })

  it('are decompressed up to the maximum size of a response', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, 32))
    const reading = source(() => '')
    respond = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    expect(await failureOf(reading.text('/1.1/schemas'))).toMatch(/more than \d+ bytes/)
  })

  it('fail a request when they name too many classes or relations', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`C${n}`, {}]))
    expect(await failureOf(schemasOf(source(() => many)))).toMatch(/has 20000 classes/)
    const column = { type: 'Relation', className: 'Like' }
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, column]))
    expect(await failureOf(schemasOf(source(() => ({ Post: fields }))))).toMatch(/has 20000 relations/)
  })

  it('name invalid classes and relations, which are reported and skipped', async () => {
    const column = { type: 'Relation', className: 'Like' }
    const schema = `{"__proto__":{},"constructor":{},"../x":{},"_Odd":{},"Post":${JSON.stringify({ likes: column, 'a/../b': column, x: { type: 'Relation', className: '../y' } })}}`
    const { classes, relations, unknown } = await schemasOf(source(() => schema))
    expect([...classes.keys()].sort()).toEqual(['Post', 'constructor'])
    expect(relations).toEqual([{ className: 'Post', field: 'likes', targetClass: 'Like' }])
    expect(unknown).toHaveLength(4)
  })

  it('with impossible counts are read as without counts', async () => {
    const board = { name: 'score', memberType: '_User', version: 0 }
    for (const count of [1e15, -1, 1.5, '5', null])
      expect(
        await countRanks(
          source(() => ({ count })),
          board,
        ),
      ).toBeNull()
    expect(
      await lookUpClass(
        source(() => ({ count: {}, results: {} })),
        'Post',
      ),
    ).toMatchObject({ total: null })
  })
})

describe('a wrong address fails the first request immediately', () => {
  const first = (at: string) => failureOf(sourceAt(at).object('/1.1/schemas'))
  const answering = async (status: number, body: string) => {
    requests = 0
    respond = (_, response) => response.writeHead(status).end(body)
    const failure = await first(url)
    expect(requests).toBe(1)
    return failure
  }

  it.each(['http://no-such-host.invalid', 'https://no-such-host.invalid'])('%s', async (at) => {
    expect(await first(at)).toMatch(/returned no valid response \((ENOTFOUND|EAI_AGAIN)\): check the URL/)
  })

  it('for a closed port', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    expect(await first(`http://127.0.0.1:${port}`)).toMatch(
      /returned no valid response \(ECONNREFUSED\): check the URL/,
    )
  })

  it('for a port without TLS', async () => {
    expect(await first(url.replace('http:', 'https:'))).toMatch(/check the URL/)
  })

  it.each([
    [200, '<html>welcome</html>', /not JSON\): check the URL/],
    [401, '{"code":401,"error":"Unauthorized."}', /401.*Unauthorized.*--source-app and the master key/],
    [403, '<html>', /403.*--source-app and the master key/],
    [404, '<html>', /404.*not an API response/],
    [404, '{"error":"not here"}', /404.*not here/],
    [302, '', /302.*redirect/],
    [400, '{"error":"bad"}', /400.*bad/],
  ])('for a response of %i with %j', async (status, body, expected) => {
    const failure = await answering(status, body)
    expect(failure).toMatch(expected)
    expect(failure).not.toContain('the-key')
  })

  it('but a source that has responded once is retried', async () => {
    const reading = source((_, number) => (number === 1 ? '<html>' : {}))
    expect(await reading.object('/1.1/date')).toEqual({})
    expect(await reading.object('/1.1/date')).toEqual({})
    expect(requests).toBe(3)
  })
})
