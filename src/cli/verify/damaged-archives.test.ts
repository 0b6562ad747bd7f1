import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { tarOf } from '../../../test/import/tar.ts'
import { type ZipPart, zipOf, zipOfParts } from '../../../test/import/zip.ts'
import { filesAt } from '../../import/sources/files.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { surveyAll } from '../import/survey.ts'
import { fileSource } from './file-source.ts'

const folder = await mkdtemp(join(tmpdir(), 'homeport-damaged-'))
afterAll(() => rm(folder, { recursive: true }))

/** Returns the results of an import and of a verification of a file: the ids of its records by class, and the reported faults. */
async function read(name: string, content: Buffer) {
  const path = join(folder, name)
  await writeFile(path, content)
  const surveyed = await surveyAll(await filesAt(path), { className: undefined, relation: undefined })
  const source = fileSource(surveyed, true, () => {})
  const ids: { [className: string]: string[] } = {}
  for await (const { of, items } of source.batches())
    for (const { text, reason } of items) {
      // The truncated line of a file is not JSON.
      const [, id] = /^\{"objectId":"(\w+)",.*\}$/.exec(text) ?? []
      if (reason !== undefined || id === undefined) continue
      ids[of.className] ??= []
      ids[of.className]!.push(id)
    }
  return { ids, faults: [...source.faults].map(inEnglish) }
}

const linesOf = (className: string, from: number, count = 3) =>
  `#filetype:JSON-streaming {"type":"Class","class":"${className}"}\n${Array.from({ length: count }, (_, index) => `{"objectId":"${className}${from + index}","n":"${(index * 7919) % 9973}"}\n`).join('')}`

const before = { 'Before.0.jsonl': linesOf('Before', 0) }
const after = { 'After.0.jsonl': linesOf('After', 0) }
const good = { Before: ['Before0', 'Before1', 'Before2'], After: ['After0', 'After1', 'After2'] }
const damaged = linesOf('Damaged', 0, 4000)
const part = (more: Omit<Partial<ZipPart>, 'name'>): ZipPart => ({ name: 'Damaged.0.jsonl', content: damaged, ...more })

/** Damage to a file in an archive: as a part of a zip archive, or as bytes for any archive. */
const zipDamage: readonly [what: string, part: ZipPart, reason: RegExp][] = [
  ['a password', part({ flags: 1 }), /password/],
  ['a strong password', part({ flags: 0x41 }), /password/],
  ['AES', part({ method: 99, flags: 1 }), /password/],
  ...([9, 12, 14, 93, 95, 98, 6, 77] as const).map((method): [string, ZipPart, RegExp] => [
    `method ${method}`,
    part({ method }),
    /compression with .* is not supported/,
  ]),
  ['a wrong checksum', part({ crc: 7 }), /checksum/],
  ['a wrong checksum, stored', part({ crc: 7, isStored: true }), /checksum/],
  ['a password, empty', part({ content: '', flags: 1 }), /password/],
]

const damagedGzip = (() => {
  const whole = gzipSync(damaged)
  const flipped = Buffer.from(whole)
  flipped.writeUInt32LE(7, whole.length - 8)
  const wrongSize = Buffer.from(whole)
  wrongSize.writeUInt32LE(7, whole.length - 4)
  const zero = gzipSync(linesOf('Damaged', 0))
  return [
    ['cut within its header', whole.subarray(0, 6), /truncated/],
    ['cut at its first bytes', whole.subarray(0, 12), /truncated/],
    ['cut in the middle', whole.subarray(0, whole.length / 2), /truncated/],
    ['cut before its checksum', whole.subarray(0, whole.length - 8), /truncated/],
    ['cut by one byte', whole.subarray(0, whole.length - 1), /truncated/],
    ['with a wrong checksum', flipped, /checksum/],
    ['with a wrong size', wrongSize, /size/],
    ['with other bytes behind it', Buffer.concat([zero, Buffer.from('more of it')]), /unexpected data/],
    [
      'with zeros and other bytes behind it',
      Buffer.concat([zero, Buffer.alloc(99), Buffer.from('x')]),
      /unexpected data/,
    ],
    ['with half a member behind it', Buffer.concat([zero, zero.subarray(0, 20)]), /truncated/],
    ['in another form', Buffer.concat([Buffer.from([0x1f, 0x8b, 9]), zero.subarray(3)]), /header/],
  ] as const
})()

const otherPackers: readonly [string, Buffer][] = [
  ['xz', Buffer.from('fd377a585a000004e6d6b446', 'hex')],
  ['Zstandard', Buffer.from('28b52ffd2400010000', 'hex')],
  ['bzip2', Buffer.from('BZh91AY&SY12345')],
  ['7-Zip', Buffer.from('377abcaf271c0004', 'hex')],
  ['RAR', Buffer.from('Rar!\u001a\u0007\u0001\u0000', 'latin1')],
]

/** Archives with intact files and a damaged one, by name. */
const holders: readonly [string, string, (bad: Record<string, Buffer>) => Promise<Buffer>][] = [
  ['a tar archive', 'a.tar', (bad) => tarOf({ ...before, ...bad, ...after })],
  ['a packed tar archive', 'a.tar.gz', async (bad) => gzipSync(await tarOf({ ...before, ...bad, ...after }))],
  ['a zip archive', 'a.zip', async (bad) => zipOf({ ...before, ...bad, ...after })],
  ['a zip archive in a zip archive', 'a.zip', async (bad) => zipOf({ ...before, 'b.zip': zipOf(bad), ...after })],
  ['a zip archive in a tar archive', 'a.tar', async (bad) => tarOf({ ...before, 'b.zip': zipOf(bad), ...after })],
  [
    'a zip archive in a packed tar archive',
    'a.tar.gz',
    async (bad) => gzipSync(await tarOf({ ...before, 'b.zip': zipOf(bad), ...after })),
  ],
  ['a tar archive in a zip archive', 'a.zip', async (bad) => zipOf({ ...before, 'b.tar': await tarOf(bad), ...after })],
  [
    'a packed tar archive in a zip archive',
    'a.zip',
    async (bad) => zipOf({ ...before, 'b.tar.gz': gzipSync(await tarOf(bad)), ...after }),
  ],
]

async function expectNamed(name: string, archive: Buffer, reason: RegExp, file = 'Damaged.0.jsonl') {
  const { ids, faults } = await read(name, archive)
  expect(ids).toMatchObject(good)
  expect(faults.filter((fault) => fault.includes(file) && reason.test(fault))).not.toEqual([])
}

describe.each(holders)('in %s', (_where, name, hold) => {
  it.each(zipDamage)('reports a zip archive whose file has %s, and reads all other files', async (_, bad, reason) => {
    const archive = zipOfParts([{ name: 'Inner.0.jsonl', content: linesOf('Inner', 0) }, bad])
    const { ids, faults } = await read(name, await hold({ 'c.zip': archive }))
    expect(ids).toMatchObject({ ...good, Inner: ['Inner0', 'Inner1', 'Inner2'] })
    expect(faults).toEqual([expect.stringMatching(/c\.zip\/Damaged\.0\.jsonl/)])
    expect(faults[0]).toMatch(reason)
  })

  it.each(damagedGzip)('reports a gzip file %s, and reads all other files', async (_, bad, reason) => {
    await expectNamed(name, await hold({ 'Damaged.0.jsonl.gz': bad }), reason)
  })

  it.each(otherPackers)('reports a file packed with %s, and reads all other files', async (packer, bad) => {
    await expectNamed(name, await hold({ 'Damaged.0.jsonl': bad }), new RegExp(packer))
  })

  it('reports archives that are nested too deeply, and reads all other files', async () => {
    const deep = zipOf({ 'x.zip': zipOf({ 'Damaged.0.jsonl': damaged }) })
    await expectNamed(name, await hold({ 'c.zip': zipOf({ 'd.zip': deep }) }), /3 levels deep/, '.zip')
  })

  it('reports a zip archive without its end, and reads all other files', async () => {
    const inner = zipOf({ 'Damaged.0.jsonl': damaged })
    await expectNamed(name, await hold({ 'c.zip': inner.subarray(0, inner.length - 40) }), /truncated/, 'c.zip')
  })

  it('reports a truncated tar archive, and reads all other files', async () => {
    const inner = await tarOf({ 'Damaged.0.jsonl': damaged })
    await expectNamed(name, await hold({ 'c.tar': inner.subarray(0, 2000) }), /truncated/, 'c.tar')
  })
})

it.each(zipDamage)('reports a file of a zip archive that has %s, and reads all other files', async (_, bad, reason) => {
  const parts = (files: object) => Object.entries(files).map(([name, content]) => ({ name, content }))
  const archive = zipOfParts([...parts(before), bad, ...parts(after)])
  const { ids, faults } = await read('a.zip', archive)
  expect(ids).toMatchObject(good)
  expect(faults).toEqual([expect.stringMatching(/Damaged\.0\.jsonl/)])
  expect(faults[0]).toMatch(reason)
})

it.each(damagedGzip)('reports a gzip file %s', async (_, bad, reason) => {
  expect((await read('Damaged.0.jsonl.gz', bad)).faults).toEqual([expect.stringMatching(reason)])
})

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['zip with descriptors', () => zipOfParts(partsOf({ hasDescriptor: true }))],
  ['zip with stored files', () => zipOfParts(partsOf({ isStored: true }))],
  ['zip with sizes of 64 bits', () => zipOfParts(partsOf({ isLong: true }), true)],
  ['zip with all of these', () => zipOfParts(partsOf({ isLong: true, hasDescriptor: true, isStored: true }), true)],
  ['zip with a comment', () => withComment(zipOf({ ...before, ...after }))],
  ['tar without padding', async () => (await tarOf({ ...before, ...after })).subarray(0, -512)],
  ['two tar archives behind each other', async () => Buffer.concat([await tarOf(before), await tarOf(after)])],
  ['gzip of several members', async () => inMembers(await tarOf({ ...before, ...after }))],
  [
    'gzip with zeros behind it',
    async () => Buffer.concat([gzipSync(await tarOf({ ...before, ...after })), Buffer.alloc(99)]),
  ],
])('reads %s completely', async (_what, make) => {
  expect(await read('whole', await make())).toEqual({ ids: good, faults: [] })
})

it.each<[string, RegExp, () => Buffer | Promise<Buffer>]>([
  [
    'zip with bytes behind its end',
    /unexpected data/,
    () => Buffer.concat([zipOf({ ...before, ...after }), Buffer.from('x'.repeat(70))]),
  ],
  [
    'zip with a file that is not listed',
    /its file list does not contain/,
    () => zipOfParts([...partsOf({}), { name: 'Damaged.0.jsonl', content: damaged, isUnlisted: true }]),
  ],
  [
    'zip with an unlisted file in front',
    /its file list does not contain/,
    () =>
      zipOfParts([
        { name: 'Damaged.0.jsonl', content: damaged, isUnlisted: true, hasDescriptor: true },
        ...partsOf({}),
      ]),
  ],
  [
    'zip with another zip in front',
    /starts with \d+ bytes/,
    () => Buffer.concat([zipOf({ 'Damaged.0.jsonl': damaged }), zipOf({ ...before, ...after })]),
  ],
  [
    'zip that counts more files than it lists',
    /only 2 of 3 files in its file list/,
    () => counting(zipOf({ ...before, ...after }), 3),
  ],
  [
    'zip whose name leads outside',
    /leads outside/,
    () => zipOf({ ...before, '../Damaged.0.jsonl': damaged, ...after }),
  ],
  [
    'tar with a wrong header',
    /header/,
    async () => withWrongHeader(await tarOf({ ...before, 'Damaged.0.jsonl': 'x', ...after })),
  ],
  [
    'tar with bytes behind its end',
    /unexpected data/,
    async () => Buffer.concat([await tarOf({ ...before, ...after }), Buffer.from('x')]),
  ],
  [
    'tar with a sparse file',
    /sparse/,
    async () => withType(await tarOf({ ...before, 'Damaged.0.jsonl': 'x', ...after }), 'S'),
  ],
])('reports %s, and reads all listed files', async (_what, reason, make) => {
  const { ids, faults } = await read('whole', await make())
  expect(ids).toEqual(good)
  expect(faults).toEqual([expect.stringMatching(reason)])
})

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['zip without its list', () => zipOf({ ...before, ...after }).subarray(0, 150)],
  ['zip with an encrypted list', () => withoutList(zipOf({ ...before, ...after }))],
  ['part of a split zip', () => counting(zipOf({ ...before, ...after }), 2, 1)],
])('reports a %s', async (_what, make) => {
  expect((await read('whole.zip', await make())).faults).toEqual([expect.stringMatching(/whole\.zip: /)])
})

it.each<[string, Partial<ZipPart>]>([
  ['sizes before the content', {}],
  ['sizes after the content', { hasDescriptor: true }],
  ['stored files', { isStored: true }],
  ['64-bit sizes', { isLong: true }],
])('reads all files before the cut of a truncated zip archive with %s', async (_what, more) => {
  const whole = zipOfParts([...partsOf(more), { ...part({}), ...more }])
  for (const end of [whole.length - 10, whole.length - 200, whole.length - 3000]) {
    const { ids, faults } = await read('cut.zip', whole.subarray(0, end))
    expect(ids).toMatchObject(good)
    expect(faults.join()).toMatch(/file list is missing/)
  }
})

it('reports a zip archive that is truncated at any position', async () => {
  const whole = zipOf({ ...before, ...after })
  for (let length = 4; length < whole.length; length += 3) {
    const { faults } = await read('cut.zip', whole.subarray(0, length))
    expect([length, faults.length > 0]).toEqual([length, true])
  }
})

it('reports a gzipped tar archive that is truncated at any position', async () => {
  const whole = gzipSync(await tarOf({ ...before, ...after }))
  for (let length = 3; length < whole.length; length += 3) {
    const { faults } = await read('cut.tar.gz', whole.subarray(0, length))
    expect([length, faults.length > 0]).toEqual([length, true])
  }
})

function partsOf(more: Partial<ZipPart>): ZipPart[] {
  return Object.entries({ ...before, ...after }).map(([name, content]) => ({ name, content, ...more }))
}

function withComment(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip)
  bytes.writeUInt16LE(7, bytes.length - 2)
  return Buffer.concat([bytes, Buffer.from('comment')])
}

function inMembers(bytes: Buffer): Buffer {
  const half = Math.floor(bytes.length / 2)
  return Buffer.concat([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))])
}

/** Changes the number of files in the end record. @param disk the part number in the end record */
function counting(zip: Buffer, count: number, disk = 0): Buffer {
  const bytes = Buffer.from(zip)
  const end = bytes.length - 22
  bytes.writeUInt16LE(disk, end + 4)
  bytes.writeUInt16LE(count, end + 8)
  bytes.writeUInt16LE(count, end + 10)
  return bytes
}

function withoutList(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip)
  const end = bytes.length - 22
  bytes.fill(0xa5, bytes.readUInt32LE(end + 16), end)
  return bytes
}

/** Offset of the header of the second file. */
const SECOND = 1024

function withWrongHeader(tar: Buffer): Buffer {
  const bytes = Buffer.from(tar)
  bytes[SECOND + 150] = 0x39
  return bytes
}

function withType(tar: Buffer, type: string): Buffer {
  const bytes = Buffer.from(tar)
  bytes.write(type, SECOND + 156)
  bytes.fill(' ', SECOND + 148, SECOND + 156)
  const sum = bytes.subarray(SECOND, SECOND + 512).reduce((a, b) => a + b, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, SECOND + 148)
  return bytes
}
