// Uses a server through a proxy as clients do: a file of 100 MB up and down, parts of it, and a chat over wss. The process trusts
// the certificate of NODE_EXTRA_CA_CERTS. Arguments: URL, plain URL, App ID, App Key. Prints one line for each success.
import { createHash, randomBytes } from 'node:crypto'
import realtime from 'leancloud-realtime'

const SIZE = 100 * 1024 * 1024
const TIMEOUT_MS = 120_000
const [, , url, plainUrl, appId, appKey] = process.argv
const headers = { 'x-lc-id': appId, 'x-lc-key': appKey }

setTimeout(() => fail(`not finished after ${TIMEOUT_MS / 1000} seconds`), TIMEOUT_MS).unref()

await redirect()
const bytes = randomBytes(SIZE)
const file = await upload()
await download(file)
await longQuery()
await chat()
process.exit(0)

async function redirect() {
  const response = await fetch(`${plainUrl}/1.1/date?x=1`, { redirect: 'manual', headers: { connection: 'close' } })
  const target = response.headers.get('location')
  check(response.status === 308 && target?.startsWith('https://localhost'), `redirect: ${response.status} to ${target}`)
  pass('HTTP is redirected to HTTPS')
}

async function upload() {
  const body = JSON.stringify({ name: 'hundred.bin', metaData: { size: SIZE }, mime_type: 'application/octet-stream' })
  const asked = await fetch(`${url}/1.1/fileTokens`, {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  const token = await asked.json()
  check(asked.status === 200, `fileTokens: ${asked.status} ${JSON.stringify(token)}`)
  check(token.upload_url.startsWith(url), `the upload URL ${token.upload_url} is not at the proxy ${url}`)
  const sent = await fetch(token.upload_url, { method: 'PUT', body: bytes })
  check(sent.status === 200, `PUT: ${sent.status} ${await sent.text()}`)
  pass(`${SIZE} bytes uploaded`)
  return token
}

async function download(token) {
  check(token.url.startsWith(url), `the URL of the file, ${token.url}, is not at the proxy ${url}`)
  const whole = await fetch(token.url)
  const hash = createHash('md5')
  for await (const chunk of whole.body) hash.update(chunk)
  check(hash.digest('hex') === createHash('md5').update(bytes).digest('hex'), 'the downloaded bytes differ')
  for (const [range, from, to] of [
    ['bytes=1000-1999', 1000, 2000],
    ['bytes=-10', SIZE - 10, SIZE],
    [`bytes=${SIZE / 2}-`, SIZE / 2, SIZE],
  ]) {
    const part = await fetch(token.url, { headers: { range } })
    check(part.status === 206, `${range}: ${part.status}`)
    check(
      part.headers.get('content-range') === `bytes ${from}-${to - 1}/${SIZE}`,
      `${range}: ${part.headers.get('content-range')}`,
    )
    check(bytes.subarray(from, to).equals(Buffer.from(await part.arrayBuffer())), `${range}: the bytes differ`)
  }
  pass('the file and ranges of it downloaded')
}

/** Conditions of queries are in the URL, and proxies limit its length. */
async function longQuery() {
  const where = JSON.stringify({ key: { $in: Array.from({ length: 800 }, () => 'x'.repeat(10)) } })
  const response = await fetch(`${url}/1.1/classes/Smoke?where=${where}`, { headers })
  const text = await response.text()
  // The class does not exist on a new server; the request has passed the proxy either way.
  check(
    response.status === 200 || JSON.parse(text).code === 101,
    `query of ${where.length} characters: ${response.status} ${text}`,
  )
  pass(`a query of ${where.length} characters`)
}

async function chat() {
  const route = await (await fetch(`${url}/v1/route?appId=${appId}`)).json()
  check(route.server.startsWith('wss://localhost'), `the route is ${route.server}`)
  const { Event, Realtime, TextMessage } = realtime
  const client = new Realtime({ appId, appKey, server: url })
  const tom = await client.createIMClient('Tom')
  const jerry = await client.createIMClient('Jerry')
  const received = new Promise((resolve) => jerry.on(Event.MESSAGE, (message) => resolve(message.text)))
  const conversation = await tom.createConversation({ members: ['Jerry'] })
  await conversation.send(new TextMessage('hello through the proxy'))
  check((await received) === 'hello through the proxy', 'another message arrived')
  await Promise.all([tom.close(), jerry.close()])
  pass('a chat over wss')
}

function pass(line) {
  process.stdout.write(`${line}\n`)
}

function check(holds, message) {
  if (!holds) fail(message)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
