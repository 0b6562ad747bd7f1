import { expect, it } from 'vitest'
import { Html, html } from './html.ts'

it.each([
  ['<script>', '&lt;script&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['&lt;', '&amp;lt;'],
  ['你好 – 😀', '你好 – 😀'],
])('inserts the text %s as %s', (text, shown) => {
  expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${shown}">${shown}</p>`)
})

it('does not escape HTML again', () => {
  expect(html`<p>${html`<b>${'<'}</b>`}${new Html('<br>')}</p>`.text).toBe('<p><b>&lt;</b><br></p>')
})

it('inserts nothing for null', () => expect(html`<p${null}>${null}</p>`.text).toBe('<p></p>'))
