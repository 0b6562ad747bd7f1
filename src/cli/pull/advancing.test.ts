import { describe, expect, it } from 'vitest'
import { textNotice } from '../../notices/notice.ts'
import { CursorCycle, checkAscending, isCursor, NoAdvance } from './advancing.ts'

describe('checkAscending', () => {
  it.each<[string | null, string[]]>([
    [null, []],
    [null, ['a']],
    ['a', ['b', 'c']],
    ['B', ['_', 'a', 'aa']],
  ])('accepts after %j the ids %j', (last, ids) => {
    expect(() => checkAscending(textNotice('Post'), last, ids)).not.toThrow()
  })

  it.each<[string | null, string[]]>([
    ['a', ['a']],
    ['b', ['a']],
    [null, ['a', 'a']],
    [null, ['b', 'a']],
    ['a', ['b', 'a']],
  ])('rejects after %j the ids %j', (last, ids) => {
    expect(() => checkAscending(textNotice('Post'), last, ids)).toThrow(NoAdvance)
  })
})

describe('CursorCycle', () => {
  it.each([
    [0, 1],
    [0, 2],
    [5, 1],
    [7, 3],
    [100, 1000],
  ])('finds a cycle after %i cursors of %i cursors within a few steps', (lead, length) => {
    const cycle = new CursorCycle()
    let taken = 0
    const next = () => {
      const index = taken++
      return cycle.isRepeated(index < lead ? `lead ${index}` : `cycle ${(index - lead) % length}`)
    }
    while (!next()) expect(taken).toBeLessThan(3 * (lead + length) + 4)
  })

  it('accepts cursors that never repeat', () => {
    const cycle = new CursorCycle()
    expect(Array.from({ length: 5000 }, (_, n) => cycle.isRepeated(String(n)))).not.toContain(true)
  })
})

it.each([undefined, null, '', 5, 'x'.repeat(1001), ['a']])('rejects %j as a cursor', (value) => {
  expect(isCursor(value)).toBe(false)
})
