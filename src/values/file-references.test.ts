import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withFileIds, withFileIdsIn } from './file-references.ts'
import type { Json } from './json.ts'

const file = fc.stringMatching(/^[A-Za-z0-9_-]{1,5}$/).map((id): Json => ({ __type: 'File', id }))
const lookalike = fc.constantFrom<Json>(
  '{"id": "a", "__type": "File"}',
  '{"__type":"File","id":"a"}',
  '{',
  'File',
  '\\',
  { id: 'a', type: 'File' },
  { File: 'a' },
)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    file,
    lookalike,
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'id2', '{"id": "a", "__type": "File"}', '{'), tie('value'), { maxKeys: 3 }),
  ),
}))

/** Prints a value like jsonb: shorter keys first, with a space after commas and colons. */
function printed(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => printed(item)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${printed(member)}`).join(', ')}}`
}

it('adds the objectId to the references in a text, and changes nothing else', () => {
  fc.assert(
    fc.property(value, (given) => {
      const wanted = withFileIdsIn(given)
      expect(JSON.parse(withFileIds(JSON.stringify(given)))).toEqual(wanted)
      expect(JSON.parse(withFileIds(printed(given)))).toEqual(wanted)
    }),
    { numRuns: 1000 },
  )
})

it('adds the objectId to the references in a value', () => {
  const reference = { __type: 'File', id: 'f' }
  expect(withFileIdsIn({ a: [reference], b: { c: reference }, d: 'File' })).toEqual({
    a: [{ ...reference, objectId: 'f' }],
    b: { c: { ...reference, objectId: 'f' } },
    d: 'File',
  })
})
