import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { checkAnswer, type RawAnswer, startFuzzedServer } from './server.ts'
import { corrupted, objectBody, parameters, search, value, where } from './wire.ts'

const server = await startFuzzedServer()
const { client, master } = server

const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('PROPFIND', 'TRACE', 'LOCK', 'get', 'G E T', '', 'CONNECT', 'FOO', 'QUERY', '\u00ff'),
  },
)

const segment = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '1.1',
      '1.1',
      '1',
      '2',
      '1.2',
      'classes',
      'classes',
      'Post',
      '_User',
      'users',
      'roles',
      'files',
      'scan',
      'schemas',
      'batch',
      'save',
      'date',
      'route',
      'admin',
      'apps',
      'fuzz',
      'settings',
      'health',
      'metrics',
      'exportData',
      '5f0000000000000000000001',
      'abc',
      '',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '%',
      '%2',
      '%zz',
      '%00',
      '%2f',
      '%2F..%2F',
      '%ff%fe',
      '%e4%b8%ad',
      '%F0%9F%98%80',
      '%ED%A0%80',
      '..',
      '.',
      '...',
      '%2e%2e',
      '*',
      ':id',
      ':className',
      '~',
      '+',
      ';a=b',
      '#',
      'a,b,c',
      "'",
      '"',
      '\\',
      '(',
      '{}',
      '[]',
      '|',
      '^',
      '`',
      '<script>',
      '__proto__',
      'constructor',
      '%25',
      '%20',
      'x'.repeat(5000),
      '%61'.repeat(2000),
      'a/'.repeat(1000),
    ),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 6 }) },
)
const path = fc
  .tuple(
    fc.constantFrom('/', '/', '/', '', '//', '*', 'http://other/', 'http://', '?'),
    fc.array(segment, { maxLength: 5 }),
  )
  .map(([start, segments]) => start + segments.join('/'))

const queryPiece = fc.oneof(
  fc.constantFrom(
    'where=%',
    'where=%7B%7D',
    'where={"a":1}',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[a]=1',
    '&&&',
    '=',
    '=a',
    'a',
    'where',
    'where=&where=',
    '%=%',
    '__proto__=1',
    '__proto__[a]=1',
    'constructor=1',
    'hasOwnProperty=1',
    'order=%00',
    'keys=%ED%A0%80',
    'include=a&include=b',
    '?',
    '#a',
    'x=%F0%9F%98%80',
    `order=${'a,'.repeat(2000)}`,
    `where=${'['.repeat(3000)}`,
    'skip=99999999999',
    'count=1',
    'appId=x',
    'scan_key=__proto__',
    'cursor=%27',
  ),
  fc.string({ maxLength: 8 }),
)
const query = fc.array(queryPiece, { maxLength: 3 }).map((pieces) => (pieces.length > 0 ? `?${pieces.join('&')}` : ''))

const headerName = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      'X-LC-Id',
      'X-LC-Key',
      'X-LC-Sign',
      'X-LC-Session',
      'X-LC-Prod',
      'X-LC-Master-Key',
      'X-AVOSCloud-Application-Id',
      'x-uluru-session-token',
      'Content-Type',
      'Content-Encoding',
      'Accept-Encoding',
      'Accept',
      'Authorization',
      'Host',
      'Origin',
      'Access-Control-Request-Method',
      'Access-Control-Request-Headers',
      'Expect',
      'Range',
      'If-Modified-Since',
      'X-Request-Id',
      'X-Forwarded-For',
      'Connection',
      'Upgrade',
      'Cookie',
      'TE',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'a b',
      'a:b',
      '__proto__',
      'constructor',
      'x'.repeat(500),
      '\u00e4',
      'Content-Length',
      'Transfer-Encoding',
    ),
  },
)
const headerValue = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'fuzz',
      'fuzz-app-key',
      'fuzz-master-key,master',
      'fuzz-master-key',
      ',master',
      ',',
      'd41d8cd98f00b204e9800998ecf8427e,1',
      'x,1,master',
      ',,',
      '0',
      '1',
      'application/json',
      'text/plain',
      'gzip',
      'br',
      'gzip;q=0, *;q=0',
      'identity;q=0',
      'deflate, br;q=0.5',
      '*',
      'Bearer fuzz-administrator-token',
      'Bearer',
      'Basic x',
      '',
      '100-continue',
      'bytes=0-1',
      'close',
      'keep-alive',
      'Upgrade',
      'websocket',
      'h2c',
      'chunked',
      'localhost:1',
      'a b',
      'http://x',
      '-1',
      '5',
      '5, 5',
      '99999999999999999999',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x'.repeat(2000),
      'x'.repeat(20_000),
      '名',
      '\u00ff\u00fe',
      '\u0000',
      '\t',
      'a\rb',
      '\u007f',
      '%00',
      "'",
      '__proto__',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 10 }).map((text) => text.replace(/[\r\n]/g, '')),
  },
)
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 })

/** Builds a request as bytes, without escaping its parts. */
function bytesOf(method: string, target: string, lines: readonly (readonly [string, string])[], body: string): Buffer {
  const length = lines.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
    ? []
    : [['Content-Length', String(Buffer.byteLength(body))]]
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...[...lines, ...length].map(([name, text]) => `${name}: ${text}`),
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}

const identity: [string, string][] = [
  ['X-LC-Id', 'fuzz'],
  ['X-LC-Key', 'fuzz-app-key'],
]
const bodies = fc.oneof(fc.constant(''), objectBody, corrupted(objectBody))

test('paths and query strings, byte by byte', async () => {
  await fc.assert(
    fc.asyncProperty(methods, path, query, fc.boolean(), bodies, async (method, target, search, known, body) => {
      const answer = await server.sendRaw(bytesOf(method, target + search, known ? identity : [], body))
      checkRawAnswer(method, answer)
    }),
    runs(1000),
  )
})

test('headers, byte by byte', async () => {
  const targets = fc.constantFrom(
    '/1.1/classes/Post',
    '/1.1/classes/Post',
    '/1.1/batch',
    '/1.1/date',
    '/admin/apps',
    '/2/route?appId=x',
    '/health',
  )
  await fc.assert(
    fc.asyncProperty(methods, targets, headers, fc.boolean(), bodies, async (method, target, lines, known, body) => {
      const all = known ? [...identity, ...lines] : lines
      // A request with a body shorter than declared makes the server wait, as it should.
      if (all.some(([name, text]) => /^content-length$/i.test(name) && Number.parseInt(text, 10) > body.length)) return
      if (all.some(([name, text]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(text))) return
      const answer = await server.sendRaw(bytesOf(method, target, all, body))
      checkRawAnswer(method, answer)
    }),
    runs(1000),
  )
})

/** Checks a response. A CONNECT is for a proxy: its connection is closed. Metrics are the only text that is not JSON. */
function checkRawAnswer(method: string, answer: RawAnswer | null): void {
  if (answer === null) expect(method).toBe('CONNECT')
  else if (answer.contentType.startsWith('text/plain; version=')) expect(answer.status).toBe(200)
  else checkAnswer(answer)
}

test('malformed HTTP requests', async () => {
  const lines = fc.constantFrom(
    'GET / HTTP/1.1\r\n',
    'GET /1.1/date HTTP/9.9\r\n',
    'GET  / HTTP/1.1\r\n',
    'GET /\r\n',
    '\r\n',
    '\n\n',
    'Host: x\r\n',
    'Content-Length: -1\r\n',
    'Content-Length: abc\r\n',
    'Content-Length: 1\r\nContent-Length: 2\r\n',
    'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
    'Transfer-Encoding: gzip\r\n',
    ': x\r\n',
    ' folded\r\n',
    'a\r\n',
    '\u0000\r\n',
    '\u0016\u0003\u0001',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'POST /1.1/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'POST /1.1/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc\r\n0\r\n\r\n',
  )
  const texts = fc.array(fc.oneof(lines, fc.string({ unit: 'binary', maxLength: 20 })), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(texts, async (pieces) => {
      // The last line is always an invalid request, so the server always responds.
      const answer = await server.sendRaw(Buffer.from(`${pieces.join('')}\r\n\r\n\u0001\u0002 / no\r\n\r\n`, 'latin1'))
      checkRawAnswer('', answer)
    }),
    runs(300),
  )
})

test('content types with matching and mismatching bodies', async () => {
  const contentTypes = fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=latin1',
      'text/plain',
      'text/plain;charset=UTF-8',
      'text/plain; charset=x',
      'TEXT/PLAIN',
      'text/html',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'application/octet-stream',
      'image/png',
      'json',
      '/',
      'application/',
      ';',
      '*/*',
      'application/json, text/plain',
      'text/plainx',
      'a'.repeat(1000),
    ),
    fc.string({ maxLength: 10 }).filter((text) => /^[\x20-\x7e]*$/.test(text)),
  )
  const payload = fc.oneof(
    bodies.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        'a=b&c=d',
        '--x\r\n\r\n--x--',
        '\ufeff{}',
        '{"a":1}{"b":2}',
        '{"a":1',
        '/* */{}',
        "{'a':1}",
        '[]',
        '"x"',
        '1',
        'null',
      )
      .map((text) => Buffer.from(text)),
  )
  const targets = fc.constantFrom(
    ['POST', '/1.1/classes/Post'],
    ['PUT', '/1.1/classes/Post/abc'],
    ['DELETE', '/1.1/classes/Post/abc'],
    ['GET', '/1.1/classes/Post'],
    ['POST', '/1.1/batch'],
    ['PATCH', '/admin/apps/fuzz'],
  )
  await fc.assert(
    fc.asyncProperty(targets, contentTypes, payload, async ([method, target], contentType, body) => {
      const sender = { ...client, authorization: `Bearer ${server.adminToken}` }
      checkAnswer(await server.send(method!, target!, { ...sender, 'content-type': contentType }, body))
    }),
    runs(700),
  )
})

test('tunneled requests, complete and truncated', async () => {
  const anyText = fc.oneof(
    fc.constantFrom('', 'fuzz', 'fuzz-app-key', 'fuzz-master-key', 'x', '1').map((text) => JSON.stringify(text)),
    value,
  )
  const member = fc.oneof(
    fc.tuple(
      fc.constant('_method'),
      fc.oneof(
        fc
          .constantFrom('GET', 'PUT', 'DELETE', 'POST', 'get', 'HEAD', 'OPTIONS', 'FOO', '')
          .map((text) => JSON.stringify(text)),
        value,
      ),
    ),
    fc.tuple(
      fc.constantFrom(
        '_ApplicationId',
        '_ApplicationKey',
        '_MasterKey',
        '_ApplicationSign',
        '_SessionToken',
        '_ApplicationProduction',
        '_InstallationId',
        '_',
      ),
      anyText,
    ),
    fc.tuple(
      fc.constant('where'),
      fc.oneof(
        where,
        where.map((text) => JSON.stringify(text)),
      ),
    ),
    fc.tuple(fc.constantFrom('limit', 'order', 'keys', 'include', 'count', 'a', 'text', '__proto__'), value),
  )
  const targets = fc.constantFrom(
    '/1.1/classes/Post',
    '/1.1/classes/Post/abc',
    '/1.1/batch',
    '/1.1/date',
    '/1.1/schemas',
    '/1.1/scan/classes/Post',
    '/2/route',
    '/admin/apps',
    '/health',
    '/1.1/nothing',
  )
  const bodiesOfTunnels = fc
    .array(member, { maxLength: 5 })
    .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`)
  await fc.assert(
    fc.asyncProperty(
      targets,
      fc.oneof(
        { weight: 8, arbitrary: bodiesOfTunnels },
        { weight: 1, arbitrary: corrupted(bodiesOfTunnels) },
        { weight: 1, arbitrary: value },
      ),
      fc.constantFrom(client, master, {}),
      parameters,
      async (target, body, sender, query) => {
        const headers = { ...sender, 'content-type': 'text/plain' }
        checkAnswer(await server.send('POST', `${target}?${search(query)}`, headers, body))
      },
    ),
    runs(1000),
  )
})

test('bodies of the management API', async () => {
  const token = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
  const targets = fc.constantFrom(
    ['POST', '/admin/apps'],
    ['PATCH', '/admin/apps/fuzz'],
    ['PATCH', '/admin/apps/fuzz/settings'],
    ['PATCH', '/admin/apps/fuzz/classes/Post'],
    ['PATCH', '/admin/apps/nothing/settings'],
    ['DELETE', '/admin/apps/%00'],
    ['GET', '/admin/apps/__proto__'],
    ['GET', '/admin/apps/fuzz/classes/%'],
    ['DELETE', '/admin/apps/fuzz/classes/_User'],
  )
  const member = fc.tuple(
    fc.constantFrom(
      'name',
      'ownerEmail',
      'appId',
      'appKey',
      'storage',
      'permissions',
      'defaultAcl',
      'fields',
      'indexes',
      '__proto__',
      'x',
    ),
    fc.oneof(
      value,
      fc.constantFrom(
        '{"find":"master"}',
        '{"find":{"users":[1]}}',
        '{"_owner":{"read":true}}',
        '{"text":{"hidden":true}}',
        '{"text":{"default":1}}',
        '[{"fields":["text"]}]',
        '[{"fields":["nothing"]}]',
        '{"returnAclInQueries":1}',
      ),
    ),
  )
  const bodiesOfChanges = fc
    .array(member, { minLength: 1, maxLength: 3 })
    .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`)
  await fc.assert(
    fc.asyncProperty(targets, fc.oneof(bodiesOfChanges, bodiesOfChanges, value), async ([method, target], body) =>
      checkAnswer(await server.send(method!, target!, token, body)),
    ),
    runs(300),
  )
})
