import { describe, expect, it } from 'vitest'
import { ANONYMOUS, MASTER } from '../../objects/access/caller.ts'
import { captchaShape } from './captchas.ts'

describe('the shape of a captcha', () => {
  const usual = { width: 85, height: 30, size: 4, ttl: 60 }

  it('defaults to the standard shape', () => {
    expect(captchaShape({}, ANONYMOUS)).toEqual(usual)
    expect(captchaShape({ width: '', height: null, size: null, ttl: '' }, ANONYMOUS)).toEqual(usual)
  })

  it('accepts text from a URL and numbers from a batch', () => {
    expect(captchaShape({ width: '60', height: '30' }, ANONYMOUS)).toEqual({ ...usual, width: 60, height: 30 })
    expect(captchaShape({ width: 200, height: 100 }, ANONYMOUS)).toEqual({ ...usual, width: 200, height: 100 })
  })

  it.each([
    ['size', '3', '6'],
    ['ttl', '10', '180'],
  ])('%s needs the master key', (name, min, max) => {
    const error = { status: 400, code: 119, message: expect.stringContaining(`'${name}' requires the master key.`) }
    for (const value of [min, max]) {
      expect(captchaShape({ [name]: value }, MASTER)).toEqual({ ...usual, [name]: Number(value) })
      expect(() => captchaShape({ [name]: value }, ANONYMOUS)).toThrow(expect.objectContaining(error))
    }
  })

  it.each([
    ['width', ['59', '201', '85.5', 'wide', true], 'from 60 to 200'],
    ['height', ['29', '101'], 'from 30 to 100'],
    ['size', ['2', '7'], 'from 3 to 6'],
    ['ttl', ['9', '181', '-60'], 'from 10 to 180'],
  ] as const)('%s is limited to its range', (name, values, bounds) => {
    const message = `'${name}' must be a whole number ${bounds}.`
    for (const value of values) {
      expect(() => captchaShape({ [name]: value }, MASTER)).toThrow(
        expect.objectContaining({ status: 400, code: 1, message }),
      )
    }
  })
})
