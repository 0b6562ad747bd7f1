import { createHash } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { type Home, makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { ENVIRONMENT } from './writing.ts'

const UPLOADS = 200
/** The number of acknowledged uploads when the server is killed. */
const ACKNOWLEDGED = 50
/** Bytes: small enough that some uploads finish, large enough that many are running. */
const SMALLEST = 100
const LARGEST = 400_000

const HEADERS = {
  'x-lc-id': ENVIRONMENT.HOMEPORT_APP_ID,
  'x-lc-key': `${ENVIRONMENT.HOMEPORT_MASTER_KEY},master`,
  'content-type': 'application/json',
}

interface Upload {
  readonly objectId: string
  readonly path: string
  readonly key: string
  readonly bytes: Buffer
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Returns deterministic bytes for a number. */
function bytesOf(number: number): Buffer {
  const size = SMALLEST + Math.floor(((LARGEST - SMALLEST) * ((number * 7919) % UPLOADS)) / UPLOADS)
  return Buffer.alloc(size, createHash('md5').update(String(number)).digest())
}

async function begin(url: string, number: number): Promise<Upload> {
  const bytes = bytesOf(number)
  const body = { name: `${number}.bin`, metaData: { size: bytes.length } }
  const { body: tokens } = await call(url, 'POST', '/1.1/fileTokens', HEADERS, body)
  return { objectId: tokens.objectId, path: new URL(tokens.upload_url).pathname, key: tokens.key, bytes }
}

/** @returns whether it was acknowledged */
async function send(url: string, { path, bytes }: Upload): Promise<boolean> {
  try {
    return (await fetch(url + path, { method: 'PUT', body: Buffer.from(bytes) })).status === 200
  } catch {
    return false
  }
}

async function download(url: string, key: string): Promise<Buffer | null> {
  const response = await fetch(`${url}/files/${ENVIRONMENT.HOMEPORT_APP_ID}/${key}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  return response.status === 200 ? bytes : null
}

function filesIn({ data }: Home): string[] {
  return readdirSync(join(data, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

test('kill -9 during 200 uploads: acknowledged uploads are complete, others complete or absent, with no leftovers', {
  timeout: 240_000,
}, async () => {
  const home = makeHome(onTestFinished)
  const program = await home.start([], ENVIRONMENT)
  const uploads: Upload[] = []
  for (let number = 0; number < UPLOADS; number++) uploads.push(await begin(program.url, number))
  let acknowledged = 0
  let killed: Promise<void> | undefined
  const outcomes = await Promise.all(
    uploads.map(async (upload) => {
      const done = await send(program.url, upload)
      if (done && ++acknowledged === ACKNOWLEDGED) killed = program.kill()
      return done
    }),
  )
  await killed
  expect(acknowledged).toBeGreaterThanOrEqual(ACKNOWLEDGED)
  expect(acknowledged).toBeLessThan(UPLOADS)

  const { url } = await home.start([], ENVIRONMENT)
  let complete = 0
  for (const [number, { objectId, key, bytes }] of uploads.entries()) {
    const { body: record } = await call(url, 'GET', `/1.1/files/${objectId}`, HEADERS, undefined)
    const there = await download(url, key)
    if (outcomes[number]) expect(record.key, `upload ${number} was acknowledged`).toBe(key)
    // A record and its bytes exist together.
    expect(there !== null, `upload ${number}`).toBe(record.key !== undefined)
    if (there === null) continue
    complete++
    expect(md5(there), `upload ${number}`).toBe(md5(bytes))
    expect(record.metaData.size).toBe(bytes.length)
  }

  // An unacknowledged upload can be repeated with the same token.
  const again = outcomes.findIndex((done, number) => !done && (number + 1) % 2 === 0)
  expect([200, 403]).toContain(
    (await fetch(url + uploads[again]!.path, { method: 'PUT', body: Buffer.from(uploads[again]!.bytes) })).status,
  )
  expect(md5((await download(url, uploads[again]!.key))!)).toBe(md5(uploads[again]!.bytes))

  const database = await home.connect()
  const schema = `app_${ENVIRONMENT.HOMEPORT_APP_ID}`
  await database.query(`UPDATE "${schema}"."$loose_blobs" SET since = since - interval '2 days'`)
  await database.query(`UPDATE "${schema}"."$uploads" SET created_at = created_at - interval '2 days'`)
  const longAgo = new Date(Date.now() - 48 * 3_600_000)
  for (const file of filesIn(home)) utimesSync(file, longAgo, longAgo)
  const { code, stdout } = await runProgram(
    ['files', 'check', '--checksums', '--repair', '--data', home.data],
    ENVIRONMENT,
  )
  expect(code, stdout).toBe(0)
  // The hourly sweep would remove everything left: there are no unknown bytes.
  expect(stdout).toMatch(/no problems\n$/)
  const { rows } = await database.query(`SELECT count(*) AS count FROM "${schema}"."$files"`)
  expect(filesIn(home)).toHaveLength(Number(rows[0].count))
  expect(Number(rows[0].count)).toBeGreaterThanOrEqual(complete)
})
