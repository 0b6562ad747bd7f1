import { expect, it } from 'vitest'
import { addNotes, type Notes } from './batch.ts'

it('notes are counted, with their first examples', () => {
  const note = (place: number): Notes => ({ a: { count: 1, examples: [`f:${place}`] } })
  let notes: Notes = {}
  for (let place = 1; place <= 12; place++) notes = addNotes(notes, note(place))
  expect(notes).toEqual({ a: { count: 12, examples: Array.from({ length: 10 }, (_, index) => `f:${index + 1}`) } })
})

it('whatever data says, no more than some hundred notes are kept apart', () => {
  let notes: Notes = {}
  for (let name = 0; name < 1000; name++) notes = addNotes(notes, { [`note ${name}`]: { count: 1, examples: [] } })
  expect(Object.keys(notes)).toHaveLength(301)
  expect(Object.values(notes).reduce((sum, { count }) => sum + count, 0)).toBe(1000)
})
