import { expect, it } from 'vitest'
import { Html, html } from './html.ts'

it.each([
  ['<script>', '&lt;script&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['&lt;', '&amp;lt;'],
  ['你好 – 😀', '你好 – 😀'],
])('the text %s goes in as %s', (text, shown) => {
  expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${shown}">${shown}</p>`)
})

it('what is HTML already is not escaped again', () => {
  expect(html`<p>${html`<b>${'<'}</b>`}${new Html('<br>')}</p>`.text).toBe('<p><b>&lt;</b><br></p>')
})

it('null leaves nothing', () => expect(html`<p${null}>${null}</p>`.text).toBe('<p></p>'))
