import { describe, expect, it } from 'vitest'
import { changesIn, merged, refusals, valueAt, withChange, withoutChange } from './draft.ts'

describe('a draft of settings', () => {
  it('contains only changes', () => {
    const patch = withChange(withChange({}, ['a', 'b'], 1), ['a', 'c', 'd'], null)
    expect(patch).toEqual({ a: { b: 1, c: { d: null } } })
    expect(changesIn(patch)).toBe(2)
    expect(merged({ a: { b: 0, c: { d: 2, e: 3 } }, f: 4 }, patch)).toEqual({ a: { b: 1, c: { e: 3 } }, f: 4 })
  })

  it('removes a change together with its otherwise empty parents', () => {
    expect(withoutChange({ a: { b: { c: 1 } }, d: 2 }, ['a', 'b', 'c'])).toEqual({ d: 2 })
    expect(withoutChange({ a: { b: 1, c: 2 } }, ['a', 'b'])).toEqual({ a: { c: 2 } })
    expect(withoutChange({ a: 1 }, ['b', 'c'])).toEqual({ a: 1 })
  })

  it('does not treat built-in object properties as settings', () => {
    expect(valueAt({ a: {} }, ['a', 'constructor'])).toBeUndefined()
  })

  it('maps server errors to their setting', () => {
    const message =
      "Invalid settings. sms.service.tencent.secretId: is missing; the provider 'tencent' needs it; files.maxSize: Too small: expected number to be >=0"
    expect([...refusals(message)]).toEqual([
      ['sms.service.tencent.secretId', "is missing; the provider 'tencent' needs it"],
      ['files.maxSize', 'Too small: expected number to be >=0'],
    ])
    expect([...refusals('Somebody was faster.')]).toEqual([['', 'Somebody was faster.']])
  })
})
