import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipboardLine, clipboardText, escapeUnseen } from './clipboard-text.ts'

/**
 * Characters that would be executed or hidden: an end of a bracketed paste, terminal keys, bidirectional controls, line breaks.
 */
const HOSTILE = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        ' ',
        "'",
        '"',
        '\\',
        '\n',
        '\r',
        '\r\n',
        '\t',
        '\0',
        '\u0003',
        '\u0004',
        '\u0015',
        '\u001b[201~',
        '\u007f',
      ],
      ...['\u0085', '\u009b', '\u00ad', '\u061c', '\u200b', '\u200e', '\u2028', '\u2029', '\u202e', '\u2066', '\ufeff'],
      '\u{e0001}',
      '好',
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))

describe('copied text', () => {
  it('contains no characters that a terminal runs or that reorder a line', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const copied = clipboardText(text)
        expect(copied).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
        expect(copied.split('\n').length).toBe(text.split(/\r\n|\r|\n/).length)
      }),
    )
  })

  it('is one visible line for an id, a key or a URL', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        expect(clipboardLine(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
      }),
    )
  })

  it.each([
    ['a\nb', 'a\nb'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['שלום\u200f 1', 'שלום\u200f 1'],
    ['ls\u001b[201~\u0003', 'ls\ufffd[201~\ufffd'],
    ['=1+1', '=1+1'],
  ])('%j is copied as %j', (text, copied) => {
    expect(clipboardText(text)).toBe(copied)
  })

  it('keeps its meaning as JSON', () => {
    fc.assert(
      fc.property(fc.record({ text: HOSTILE }), (value) => {
        const json = escapeUnseen(JSON.stringify(value, null, 2))
        expect(JSON.parse(json)).toEqual(value)
        expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
      }),
    )
  })
})

describe('the console', () => {
  const root = join(import.meta.dirname, '..')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.endsWith('clipboard-text.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

  it('writes to the clipboard only through its own functions', () => {
    for (const { file, text } of sources) {
      expect(text, file).not.toMatch(/navigator\.clipboard|execCommand/)
      for (const [, argument] of text.matchAll(/\bcopyText\((.*)/g))
        expect(argument, file).toMatch(/^clipboard(Text|Line)\(/)
      for (const [, argument] of text.matchAll(/\.setData\('text\/plain', (.*)/g))
        expect(argument, file).toMatch(/^clipboardText\(/)
      for (const [, given] of text.matchAll(/\bcopyable\b(.*)/g))
        expect(given, file).toMatch(/^=\{\{ text: clipboardLine\(/)
    }
  })

  it('opens other pages only through its own components, without window handles', () => {
    for (const { file, text } of sources) {
      if (/outside-link\.tsx$/.test(file)) continue
      expect(text, file).not.toMatch(/_blank|window\.open\(|dangerouslySetInnerHTML|\.innerHTML\b/)
    }
  })
})
