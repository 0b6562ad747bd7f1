import { describe, expect, it } from 'vitest'
import { type Content, contentOf } from './message-content.ts'

const file = (type: number, url: unknown) =>
  JSON.stringify({ _lctype: type, _lctext: 'see', _lcfile: { url, metaData: { name: 'a.png', size: 12 } } })
const shownFile = { url: 'https://example.org/a', name: 'a.png', size: 12, text: 'see' } as const

describe('a message is displayed by its type', () => {
  it.each<[content: string, shown: Content]>([
    ['hello', { kind: 'text', text: 'hello' }],
    ['{"_lctype":-1,"_lctext":"hello"}', { kind: 'text', text: 'hello' }],
    ['{half', { kind: 'text', text: '{half' }],
    [file(-2, 'https://example.org/a'), { kind: 'image', ...shownFile }],
    [file(-3, 'https://example.org/a'), { kind: 'audio', ...shownFile }],
    [file(-4, 'https://example.org/a'), { kind: 'video', ...shownFile }],
    [file(-6, 'https://example.org/a'), { kind: 'file', ...shownFile }],
    [
      '{"_lctype":-5,"_lcloc":{"latitude":1.5,"longitude":-2}}',
      { kind: 'location', latitude: 1.5, longitude: -2, text: '' },
    ],
    ['{"_lctype":7,"x":1}', { kind: 'json', type: 7, json: '{\n  "_lctype": 7,\n  "x": 1\n}' }],
    ['{"x":1}', { kind: 'json', type: null, json: '{\n  "x": 1\n}' }],
  ])('%s', (content, shown) => {
    expect(contentOf(content, false)).toEqual(shown)
  })

  it('shows the size of bytes', () => {
    expect(contentOf(Buffer.alloc(100).toString('base64'), true)).toEqual({ kind: 'binary', bytes: 100 })
  })
})

it.each(['javascript:alert(1)', 'data:text/html,x', 'nowhere', 7, null])('%j is not a link', (url) => {
  expect(contentOf(file(-2, url), false)).toMatchObject({ url: null })
})
