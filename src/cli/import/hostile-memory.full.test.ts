import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { tarOf } from '../../../test/import/tar.ts'
import { zipOf } from '../../../test/import/zip.ts'

const folder = await mkdtemp(join(tmpdir(), 'homeport-hostile-memory-'))
afterAll(() => rm(folder, { recursive: true }))

const PROGRAM = fileURLToPath(new URL('../../../test/support/read-source-main.ts', import.meta.url))
/** Maximum megabytes of the object heap and of the whole process, for any file. */
const MAX_HEAP = 256
const MAX_RESIDENT = 512
/** Maximum milliseconds for reading any of the files. */
const TIMEOUT_MS = 240_000

interface Read {
  readonly records: number
  readonly faults: readonly string[]
  readonly peak: number
}

/** Writes a file in chunks, so that the writer needs little memory. */
async function write(name: string, pieces: Iterable<Buffer | string>): Promise<string> {
  const path = join(folder, name)
  const packed = name.endsWith('.gz')
  const output = createWriteStream(path)
  if (packed) await pipeline(Readable.from(pieces), createGzip({ level: 1 }), output)
  else {
    for (const piece of pieces) if (!output.write(piece)) await once(output, 'drain')
    output.end()
    await once(output, 'close')
  }
  return path
}

async function read(path: string): Promise<Read> {
  const args = [`--max-old-space-size=${MAX_HEAP}`, '--import', 'tsx', PROGRAM, path, 'Post']
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS })
  return JSON.parse(stdout) as Read
}

function* repeated(times: number, piece: string | Buffer, head: string | Buffer = '', tail: string | Buffer = '') {
  yield head
  for (let n = 0; n < times; n++) yield piece
  yield tail
}

const MB = 1024 * 1024
/** Yields megabytes of a text, in chunks of one megabyte. */
const megabytes = (count: number, text: string, head = '', tail = '') =>
  repeated(count, text.repeat(MB / text.length), head, tail)

function bsonOf(elements: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(4), elements, Buffer.alloc(1)])
  bytes.writeInt32LE(bytes.length)
  return bytes
}

/** Returns sixteen megabytes of elements. */
function bsonElements(type: number, value: readonly number[]): Buffer {
  const element = Buffer.from([type, 0x61, 0, ...value])
  return bsonOf(Buffer.alloc(Math.floor((16 * MB) / element.length) * element.length, element))
}

function nestedBson(): Buffer {
  const levels = 2 * MB
  const bytes = Buffer.alloc(levels * 8 + 5)
  for (let level = 0, at = 0; level < levels; level++) {
    bytes.writeInt32LE(bytes.length - at - level, at)
    Buffer.from([3, 0x61, 0]).copy(bytes, at + 4)
    at += 7
  }
  return bytes
}

const CSV_HEAD = 'string,string\na,b\n'

const HOSTILE: readonly (readonly [string, string, () => Iterable<Buffer | string>])[] = [
  ['CSV of 160 MB', 'Post.csv', () => megabytes(160, `${'a'.repeat(100)},${'b'.repeat(154)}\n`, CSV_HEAD)],
  ['CSV of commas', 'Post.csv', () => megabytes(64, ',', CSV_HEAD)],
  ['CSV of quotes', 'Post.csv', () => megabytes(64, '"', CSV_HEAD)],
  ['CSV of line ends', 'Post.csv', () => megabytes(64, '\r\n', CSV_HEAD)],
  [
    'CSV with a column name for each of 2000 columns, and short rows',
    'Post.csv',
    () => repeated(32 * 1024, `${','.repeat(1023)}\n`, `${'string,'.repeat(1999)}string\n${'n,'.repeat(1999)}n\n`),
  ],
  ['CSV cells of empty lists', 'Post.csv', () => repeated(4, `"[${'[],'.repeat(5 * MB)}[]]"\n`, 'array\na\n')],
  ['lines of 160 MB without an end', 'Post.jsonl', () => megabytes(160, 'a', '{"objectId":"')],
  ['lines of empty lists', 'Post.jsonl', () => repeated(4, `{"a":[${'[],'.repeat(5 * MB)}[]]}\n`)],
  ['lines that are empty', 'Post.jsonl', () => megabytes(160, '\n')],
  ['lines of one character', 'Post.jsonl', () => megabytes(4, 'x\n')],
  ['lines nested without end', 'Post.jsonl', () => repeated(4, `{"a":${'['.repeat(8 * MB)}\n`)],
  ['an array of empty lists', 'Post.json', () => megabytes(4, '[],[],[],[],    ', '[', '[]]')],
  ['an array of one element without end', 'Post.json', () => megabytes(160, '[', '[{"a":')],
  ['an object of 160 MB of members', 'Post.json', () => megabytes(160, `"a":[{}],${' '.repeat(1015)}`, '{', '"a":[]}')],
  ['an object with a name of 160 MB', 'Post.json', () => megabytes(160, 'a', '{"', '":[{}]}')],
  ['a sequence of objects without line ends', 'Post.json', () => megabytes(4, '{}{}{}{}')],
  ['a schema of empty objects', 'Post_schema.json', () => megabytes(64, '"a":{}, ', '{', '"a":{}}')],
  ['a header of 160 MB', 'Post.jsonl', () => megabytes(160, 'a', '#filetype:JSON-streaming {"type":"')],
  [
    'headers of ever new classes',
    'Post.jsonl',
    () =>
      (function* () {
        for (let n = 0; n < 300_000; n++) yield `#filetype:JSON-streaming {"type":"Class","class":"C${n}"}\n`
      })(),
  ],
  [
    'rejected records of empty lists',
    'rejected.jsonl',
    () =>
      repeated(
        4,
        `{"className":"Post","object":[${'[],'.repeat(5 * MB)}[]]}\n`,
        '#filetype:JSON-streaming {"type":"Rejected"}\n',
      ),
  ],
  [
    'rejected rows of commas',
    'rejected.jsonl',
    () =>
      repeated(
        4,
        `{"className":"Post","text":"${','.repeat(16 * MB)}"}\n`,
        '#filetype:JSON-streaming {"type":"Rejected"}\n',
      ),
  ],
  [
    'a list of files of empty lists',
    '_File.jsonl',
    () => repeated(4, `{"key":[${'[],'.repeat(5 * MB)}[]]}\n`, '#filetype:JSON-streaming {"type":"Files"}\n'),
  ],
  [
    'UTF-16 of 160 MB without line ends',
    'Post.jsonl',
    () => repeated(160, Buffer.alloc(MB, 'a\0'), Buffer.from([0xff, 0xfe])),
  ],
  ['BSON of nulls', 'Post.x1.bson', () => repeated(3, bsonElements(0x0a, []))],
  ['BSON of empty objects', 'Post.x1.bson', () => repeated(3, bsonElements(0x03, [5, 0, 0, 0, 0]))],
  ['BSON of long integers', 'Post.x1.bson', () => repeated(3, bsonElements(0x12, [1, 0, 0, 0, 0, 0, 0, 0]))],
  [
    'BSON of empty texts in a list',
    'Post.x1.bson',
    () => repeated(3, bsonOf(Buffer.concat([Buffer.from([4, 0x61, 0]), bsonElements(0x02, [1, 0, 0, 0, 0])]))),
  ],
  [
    'BSON with a name of 16 MB',
    'Post.x1.bson',
    () => repeated(3, bsonOf(Buffer.concat([Buffer.from([0x0a]), Buffer.alloc(16 * MB, 'a'), Buffer.alloc(1)]))),
  ],
  [
    'BSON with patterns of 16 MB',
    'Post.x1.bson',
    () =>
      repeated(3, bsonOf(Buffer.concat([Buffer.from([0x0b, 0x61, 0]), Buffer.alloc(16 * MB, '('), Buffer.alloc(2)]))),
  ],
  ['BSON nested without end', 'Post.x1.bson', () => repeated(3, nestedBson())],
  ['BSON of empty documents', 'Post.x1.bson', () => repeated(4, Buffer.alloc(MB, Buffer.from([5, 0, 0, 0, 0])))],
]

it.each(HOSTILE)('reads %s in bounded memory', { timeout: TIMEOUT_MS }, async (_, name, pieces) => {
  const path = await write(name, pieces())
  const { peak } = await read(path)
  await rm(path)
  expect(peak).toBeLessThan(MAX_RESIDENT)
})

it.each(HOSTILE.filter(([, name]) => !/rejected|_File/.test(name)))(
  'reads %s, packed, in bounded memory',
  { timeout: TIMEOUT_MS },
  async (_, name, pieces) => {
    const path = await write(`${name}.gz`, pieces())
    const { peak } = await read(path)
    await rm(path)
    expect(peak).toBeLessThan(MAX_RESIDENT)
  },
)

/** Archives with very many or very long parts. */
const ARCHIVES: readonly (readonly [string, string, () => Promise<Buffer> | Buffer])[] = [
  ['a tar archive of 20 000 schemas', 'a.tar', () => tarOf(filesOf(20_000, (n) => [`A${n}_schema.json`, '{"a":{}}']))],
  [
    'a tar archive of 2 schemas of 8 MB',
    'a.tar',
    () => tarOf(filesOf(2, (n) => [`A${n}_schema.json`, `[${'{},'.repeat(2.6 * MB)}{}]`])),
  ],
  [
    'a tar archive of 20 000 names of 250 characters',
    'a.tar',
    () => tarOf(filesOf(20_000, (n) => [`${'a'.repeat(80)}/${String(n).padStart(90, '0')}.jsonl`, '{}\n'])),
  ],
  ['a zip archive of 60 000 files', 'a.zip', () => zipOf(filesOf(60_000, (n) => [`${n}.jsonl`, '{}\n']))],
  [
    'a zip archive of 2 schemas of 8 MB',
    'a.zip',
    () => zipOf(filesOf(2, (n) => [`A${n}_schema.json`, `[${'{},'.repeat(2.6 * MB)}{}]`])),
  ],
]

function filesOf(count: number, file: (n: number) => readonly [string, string]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => file(n)))
}

it.each(ARCHIVES)('reads %s in bounded memory', { timeout: TIMEOUT_MS }, async (_, name, content) => {
  const path = await write(name, [await content()])
  const { peak } = await read(path)
  await rm(path)
  expect(peak).toBeLessThan(MAX_RESIDENT)
})
