import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/support/runs.ts'
import { isHeader } from '../forms/header-line.ts'
import { ByteReader } from './byte-reader.ts'
import { CountedContent } from './counted-content.ts'

async function countsOf(bytes: Buffer, size: number) {
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  const content = new CountedContent(new ByteReader(pieces()))
  const read: Buffer[] = []
  for await (const piece of content.reader.rest()) read.push(piece)
  expect(Buffer.concat(read).equals(bytes)).toBe(true)
  return content.counts
}

it('counts lines and headers in bytes split into any chunks', async () => {
  const line = fc.constantFrom(
    ...[
      '{"n":1}',
      '',
      ' ',
      '\r',
      '# note',
      '#filetype:',
      '#filetype:x',
      '#filetyp',
      '#filetypes: x',
      ' #a',
      ' #',
      '你',
    ],
    ...[
      '# filetype: x',
      '#FileType :x',
      ' \t#filetype:x',
      '\u00a0#filetype:',
      '\u200b#filetype:',
      '\ufeff\ufeff#filetype:',
    ],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 9 }), fc.nat(20), fc.boolean(), async (lines, size, hasMark) => {
      const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${lines.join('\n')}`)
      expect(await countsOf(bytes, size + 1)).toEqual({
        bytes: bytes.length,
        lines: lines.filter((one) => one.trim() !== '' && !one.startsWith('#') && !isHeader(one)).length,
        headers: lines.filter(isHeader).length,
      })
    }),
    runs(300),
  )
})

it('counts no lines of binary content', async () => {
  expect(await countsOf(Buffer.from('a\nb\n', 'utf16le'), 3)).toEqual({ bytes: 8, lines: null, headers: 0 })
})
