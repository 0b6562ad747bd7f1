import { expect, it } from 'vitest'
import { shownText } from './vendor-text.ts'

const limits = { title: 10, body: 20 }

it('returns title and alert', () => {
  expect(shownText({ title: 'T', alert: 'A' }, limits)).toEqual({ title: 'T', body: 'A' })
})

it('replaces a missing title by the alert, and a missing alert by the title', () => {
  expect(shownText({ alert: 'A', title: ' ' }, limits)).toEqual({ title: 'A', body: 'A' })
  expect(shownText({ title: 'T' }, limits)).toEqual({ title: 'T', body: 'T' })
})

it.each([{}, { alert: '' }, { alert: '  ' }, { alert: { body: 'x' } }, { title: 7 }])(
  'rejects %j, which has no text',
  (content) => {
    expect(shownText(content, limits)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/alert/) })
  },
)

it('cuts long texts at a whole character', () => {
  expect(shownText({ alert: '0123456789' }, limits)).toMatchObject({ title: '0123456789' })
  expect(shownText({ alert: '0123456789a' }, limits)).toMatchObject({ title: '012345678…', body: '0123456789a' })
  expect(shownText({ alert: '01234567😀9' }, limits)).toMatchObject({ title: '01234567…' })
})

it('applies a custom character width', () => {
  const width = (character: string) => (character < '\u0080' ? 1 : 2)
  expect(shownText({ alert: '你好你好你' }, { ...limits, width })).toMatchObject({ title: '你好你好你' })
  expect(shownText({ alert: '你好你好你好' }, { ...limits, width })).toMatchObject({ title: '你好你好…' })
})
