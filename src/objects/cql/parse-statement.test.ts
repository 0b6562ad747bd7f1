import { describe, expect, it } from 'vitest'
import { parseValues } from './parse-statement.ts'

describe('pvalues', () => {
  it('are a list, or its JSON', () => {
    expect(parseValues('[1,"a"]')).toEqual([1, 'a'])
    expect(parseValues([1])).toEqual([1])
    for (const nothing of [undefined, null, '']) expect(parseValues(nothing)).toEqual([])
  })

  it.each([
    ['{}', 300],
    ['x', 107],
    [5, 300],
  ])('%j are refused', (values, code) => {
    expect(() => parseValues(values)).toThrow(expect.objectContaining({ code }))
  })
})
