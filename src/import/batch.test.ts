import { expect, it } from 'vitest'
import { textNotice } from '../notices/notice.ts'
import { addNotes, type Notes } from './batch.ts'

it('counts notes and keeps their first examples', () => {
  const note = (position: number) => [{ notice: textNotice('a'), count: 1, examples: [`f:${position}`] }]
  let notes: Notes = {}
  for (let position = 1; position <= 12; position++) notes = addNotes(notes, note(position))
  expect(notes).toEqual({
    a: { notice: textNotice('a'), count: 12, examples: Array.from({ length: 10 }, (_, index) => `f:${index + 1}`) },
  })
})

it('bounds the number of distinct notes, whatever the data contains', () => {
  let notes: Notes = {}
  for (let name = 0; name < 1000; name++)
    notes = addNotes(notes, [{ notice: textNotice(`note ${name}`), count: 1, examples: [] }])
  expect(Object.keys(notes)).toHaveLength(301)
  expect(Object.values(notes).at(-1)!.notice).toEqual({ code: 'furtherNotes' })
  expect(Object.values(notes).reduce((sum, { count }) => sum + count, 0)).toBe(1000)
})
