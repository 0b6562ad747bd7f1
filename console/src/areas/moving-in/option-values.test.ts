import { expect, it } from 'vitest'
import { optionsOf } from './option-values.ts'

it.each([
  [
    'hosts with commas or spaces between',
    { oldDomains: 'a.example, b.example  c.example' },
    { oldDomains: ['a.example', 'b.example', 'c.example'] },
  ],
  [
    'fields in which URLs are rewritten',
    { rewriteUrls: true, rewriteFields: 'Post.cover,messages' },
    { rewriteUrls: true, rewriteFields: ['Post.cover', 'messages'] },
  ],
  ['no fields where URLs stay', { rewriteUrls: false, rewriteFields: 'Post.cover' }, { rewriteUrls: false }],
  ['a rate by day at night hours', { nightHours: ' 22-6 ', dayRate: 2 }, { nightHours: '22-6', dayRate: 2 }],
  ['no rate by day without night hours', { nightHours: ' ', dayRate: 2 }, {}],
  ['emptied fields', { parallel: null, oldDomains: ' ', filesFrom: '', until: '' }, {}],
  ['the number of parallel classes', { parallel: 4 }, { parallel: 4 }],
])('builds options from %s', (_, values, options) => {
  expect(JSON.parse(JSON.stringify(optionsOf(values)))).toEqual(options)
})
