import { expect, it } from 'vitest'
import { shownText } from './vendor-text.ts'

const limits = { title: 10, body: 20 }

it('title and alert are shown', () => {
  expect(shownText({ title: 'T', alert: 'A' }, limits)).toEqual({ title: 'T', body: 'A' })
})

it('the alert stands for a missing title, and the title for a missing alert', () => {
  expect(shownText({ alert: 'A', title: ' ' }, limits)).toEqual({ title: 'A', body: 'A' })
  expect(shownText({ title: 'T' }, limits)).toEqual({ title: 'T', body: 'T' })
})

it.each([{}, { alert: '' }, { alert: '  ' }, { alert: { body: 'x' } }, { title: 7 }])('%j shows nothing', (content) => {
  expect(shownText(content, limits)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/alert/) })
})

it('what is too long is cut at a whole character', () => {
  expect(shownText({ alert: '0123456789' }, limits)).toMatchObject({ title: '0123456789' })
  expect(shownText({ alert: '0123456789a' }, limits)).toMatchObject({ title: '012345678…', body: '0123456789a' })
  expect(shownText({ alert: '01234567😀9' }, limits)).toMatchObject({ title: '01234567…' })
})

it('characters can count more than once', () => {
  const width = (character: string) => (character < '\u0080' ? 1 : 2)
  expect(shownText({ alert: '你好你好你' }, { ...limits, width })).toMatchObject({ title: '你好你好你' })
  expect(shownText({ alert: '你好你好你好' }, { ...limits, width })).toMatchObject({ title: '你好你好…' })
})
