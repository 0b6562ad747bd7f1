import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { tarOf } from '../../../test/import/tar.ts'
import { zipOf, zipOfParts } from '../../../test/import/zip.ts'
import { filesAt } from '../../import/sources/files.ts'
import { gunzip } from '../../import/sources/gunzip.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { fileSource } from '../verify/file-source.ts'
import { surveyAll } from './survey.ts'

const folder = await mkdtemp(join(tmpdir(), 'homeport-hostile-'))
afterAll(() => rm(folder, { recursive: true }))

interface Read {
  readonly records: number
  readonly faults: readonly string[]
  readonly names: readonly string[]
}

/** Reads a file as a comparison and an import do. */
async function read(name: string, content: string | Buffer, className?: string): Promise<Read> {
  const path = join(folder, name)
  await writeFile(path, content)
  const surveyed = await surveyAll(await filesAt(path), { className, relation: undefined })
  const source = fileSource(surveyed, true, () => {})
  let records = 0
  for await (const batch of source.batches()) records += batch.items.length
  await rm(path)
  return {
    records,
    faults: [...source.faults].map(inEnglish),
    names: surveyed.flatMap(({ entries }) => entries.map((one) => one.name)),
  }
}

const BLOCK = 512
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))])
}

function tarHeader(name: string, size: string | Buffer, type: string): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0)
  if (typeof size === 'string') header.write(size, 124)
  else size.copy(header, 124)
  header.write(type, 156)
  header.write('ustar\0' + '00', 257)
  header.fill(32, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148)
  return header
}

function octal(size: number): string {
  return `${size.toString(8).padStart(11, '0')}\0`
}

function paxLine(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (String(length).length + Buffer.byteLength(rest) !== length)
    length = String(length).length + Buffer.byteLength(rest)
  return `${length}${rest}`
}

/** Returns a file in a tar archive, preceded by attributes. */
function paxFile(attributes: string, content: string, size: string | Buffer = octal(content.length)): Buffer {
  const bytes = Buffer.from(attributes)
  return Buffer.concat([
    ...(bytes.length > 0 ? [tarHeader('pax', octal(bytes.length), 'x'), padded(bytes)] : []),
    tarHeader('Post.jsonl', size, '0'),
    padded(Buffer.from(content)),
  ])
}

const END = Buffer.alloc(2 * BLOCK)
const LINE = '{"objectId":"a"}\n'
const trailing = tarHeader('Other.jsonl', octal(LINE.length), '0')

describe('the size of a file in a tar archive', () => {
  const sizes = [
    '0.5',
    '-1',
    '1e3',
    '0x10',
    ' 17',
    '+17',
    'NaN',
    'Infinity',
    '',
    '9'.repeat(16),
    '9'.repeat(400),
    '17 ',
    '1_7',
    '１７',
  ]
  it.each(sizes)('is rejected in attributes as %j', async (size) => {
    const archive = Buffer.concat([paxFile(paxLine('size', size), LINE), trailing, padded(Buffer.from(LINE)), END])
    const { records, faults } = await read('a.tar', archive)
    expect(records).toBe(0)
    expect(faults).toEqual(['a.tar: the archive is damaged: the size of a file is invalid'])
  })

  const binary = (...bytes: number[]) => Buffer.from([...bytes, ...Array(12 - bytes.length).fill(0xff)])
  it.each<[string, string | Buffer]>([
    ['a fraction', '0000000.5\0'],
    ['digits that are not octal', '00000000019\0'],
    ['a sign', '-0000000001\0'],
    ['a negative binary number', binary(0xff)],
    ['a binary number of more than 64 bits', binary(0x80, 0x01)],
    ['a binary number of 64 bits', binary(0x80, 0, 0, 0)],
  ])('is rejected in its header as %s', async (_, size) => {
    const { faults } = await read('a.tar', Buffer.concat([paxFile('', LINE), paxFile('', LINE, size), END]))
    expect(faults).toEqual(['a.tar: the archive is damaged: the size of a file is invalid'])
  })

  it('is taken from its attributes if it is a whole number', async () => {
    const archive = Buffer.concat([paxFile(paxLine('size', String(LINE.length)), LINE, octal(0)), END])
    expect(await read('a.tar', archive)).toMatchObject({ records: 1, faults: [] })
  })
})

describe('numbers of 64 bits in a zip archive', () => {
  it.each([
    ['size', 0],
    ['packed size', 8],
    ['offset', 16],
  ])('are handled as the %s of a file, and the next file is read', async (_, at) => {
    for (const value of [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n]) {
      const archive = zipOfParts([
        { name: 'Post.jsonl', content: LINE, isLong: true },
        { name: 'Other.jsonl', content: LINE },
      ])
      const directory = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
      archive.writeBigUInt64LE(value, directory + 46 + 'Post.jsonl'.length + 4 + at)
      const { records, faults } = await read('a.zip', archive)
      expect(records).toBe(1)
      expect(faults.join()).toContain('Post.jsonl: the file is damaged: its size or offset is invalid')
    }
  })

  it('are handled in the end record of the archive', async () => {
    for (const at of [24, 32, 40, 48]) {
      for (const value of [2n ** 64n - 1n, 2n ** 63n, 2n ** 40n]) {
        const archive = zipOfParts([{ name: 'Post.jsonl', content: LINE }], true)
        archive.writeBigUInt64LE(value, archive.indexOf(Buffer.from([0x50, 0x4b, 6, 6])) + at)
        const { records } = await read('a.zip', archive)
        expect(records).toBeLessThanOrEqual(1)
      }
    }
  })
})

describe('memory and time', () => {
  let before = 0
  beforeAll(() => {
    before = process.resourceUsage().maxRSS
  })
  /** Memory of this process, which other tests share. */
  afterAll(() => expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(400))

  test('discards a name of a megabyte, and reports its file as unreadable', async () => {
    const path = paxLine('path', 'n'.repeat(900_000))
    const files = Array.from({ length: 8 }, () => paxFile(path, LINE))
    const { records, faults, names } = await read('a.tar.gz', gzipSync(Buffer.concat([...files, END]), { level: 1 }))
    expect(records).toBe(0)
    expect(Math.max(...names.map((name) => name.length))).toBeLessThan(300)
    expect(faults[0]).toMatch(/^a\.tar\.gz: n{200}…: the file name is too long$/)
  })

  test('bounds the attributes before a file', async () => {
    const attributes = Buffer.from(paxLine('comment', 'x'))
    const many = Array.from({ length: 1000 }, () =>
      Buffer.concat([tarHeader('p', octal(attributes.length), 'x'), padded(attributes)]),
    )
    const { faults } = await read('a.tar', Buffer.concat([paxFile('', LINE), ...many, END]))
    expect(faults).toEqual(['a.tar: the archive is damaged: the attributes of a file are too long'])
  })

  test('rejects an unlimited number of empty gzip members', async () => {
    const member = gzipSync('')
    async function* members() {
      yield Buffer.concat(Array(10_100).fill(member))
    }
    await expect(buffer(gunzip(members()))).rejects.toThrow('more than 10000 gzip members')
  })

  test('bounds the total expansion of nested archives', async () => {
    // Each level alone stays below 64 MB, or below the maximum ratio.
    const half = gzipSync(LINE + `${' '.repeat(1024 * 1024)}\n`.repeat(34), { level: 1 })
    const inner = await tarOf({ 'Post.jsonl.gz': half, 'Other.jsonl.gz': half })
    const { faults } = await read('a.tar.gz', gzipSync(inner))
    expect(faults.join()).toContain('expands to more than 300 times')
  })

  test('reads many end records of a zip archive in bounded time', async () => {
    const archive = Buffer.concat([
      zipOf({ 'Post.jsonl': LINE }),
      Buffer.from('PK\u0005\u0006'.repeat(100_000), 'latin1'),
    ])
    expect((await read('a.zip', archive)).faults.length).toBeGreaterThan(0)
  })

  test('bounds the schemas of many files', async () => {
    const hostile = `[${'{},'.repeat(60_000)}{}]`
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`A${index}_schema.json`, hostile]))
    const { faults } = await read('a.tar', await tarOf(files))
    expect(faults[0]).toContain('the schemas and headers of all files have more than')
  })

  test('bounds repeated headers with different names, and the list of faults', async () => {
    const classes = Array.from(
      { length: 11_000 },
      (_, n) => `#filetype:JSON-streaming {"type":"Class","class":"C${n}"}\n`,
    )
    expect((await read('a.jsonl', classes.join(''))).faults[0]).toContain('more than 10000 classes')
    const unknown = `#filetype:JSON-streaming {"type":"Class","class":"A"}\n${Array.from({ length: 5000 }, (_, n) => `#filetype:x${n}\n`).join('')}`
    expect((await read('a.jsonl', unknown)).faults.length).toBeLessThan(1100)
  })

  test.each([
    ['columns in a row', `string,string\na,b\n1,2\n${','.repeat(8_000_000)}\n`, 1, 'line 4 has more than 2000 columns'],
    ['columns in the head', `${'string,'.repeat(100_000)}string\n`, 0, 'line 1 has more than 2000 columns'],
    [
      'bytes in a row',
      `string,string\na,b\n1,2\n3,${'x'.repeat(18_000_000)}\n`,
      1,
      'line 4 has more than 17825792 bytes',
    ],
    ['bytes in quotes', `string,string\na,b\n1,2\n3,"${'x\n'.repeat(9_000_000)}`, 1, 'opens in line 4 is not closed'],
    ['an unclosed quote', 'string,string\r\na,b\r\n1,"2\r\n3"\r\n"4,5\r\n6,7\r\n', 1, 'opens in line 5 is not closed'],
    ['a quote within a cell', 'string,string\na,b\n1,2\n\n3,x"y\n4,5\n', 1, 'opens in line 5 is not closed'],
    ['text after a closing quote', 'string,string\na,b\n1,2\n"3"x,4\n', 1, 'invalid quotes in line 4'],
    ['long names of columns', `string,string\n${'a'.repeat(70_000)},b\n1,2\n`, 0, 'the types and names of the columns'],
  ])('reports the line of CSV that exceeds a maximum: %s', async (_, csv, records, fault) => {
    const outcome = await read('Post.csv', csv)
    expect(outcome.faults.join()).toContain(fault)
    expect(outcome.records).toBe(records)
  })
})

test.each([
  ['escape sequences', '\u001b]0;x\u0007Post.jsonl'],
  ['C1 controls', '\u009b2JPost.jsonl'],
  ['line breaks', 'x\nSafe to switch\r\u2028Post.jsonl'],
  ['direction marks', 'x\u202elnosj.Post.jsonl'],
])('shows names of files in archives without %s', async (_, name) => {
  for (const [archive, content] of [
    ['a.zip', zipOf({ [name]: LINE })],
    ['a.tar', await tarOf({ [name]: LINE })],
  ] as const) {
    const { names } = await read(archive, content)
    expect(names).toHaveLength(1)
    expect(names[0]).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u)
    expect(names[0]).toContain('\ufffd')
  }
})
