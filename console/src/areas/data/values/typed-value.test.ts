import { expect, it } from 'vitest'
import { aclOf, isDate, isFile, isGeoPoint, isPointer } from './typed-value.ts'

const VALID = {
  Pointer: { __type: 'Pointer', className: 'Post', objectId: 'a' },
  Date: { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' },
  GeoPoint: { __type: 'GeoPoint', latitude: 1, longitude: 2 },
  File: { __type: 'File', id: 'a' },
} as const
const IS = { Pointer: isPointer, Date: isDate, GeoPoint: isGeoPoint, File: isFile }

it.each(Object.entries(VALID))('accepts a %s only with members of the right types', (type, value) => {
  const is = IS[type as keyof typeof IS]
  expect(is(value)).toBe(true)
  for (const name of Object.keys(value))
    for (const wrong of [undefined, null, true, {}, [], { toString: 'x' }, type === 'GeoPoint' ? '1' : 1])
      expect(is({ ...value, [name]: wrong }), `${name}: ${JSON.stringify(wrong)}`).toBe(false)
  expect(is(Object.create(value))).toBe(false)
  expect(is([value])).toBe(false)
})

it.each([null, undefined, 1, 'x', [], [{ read: true }]])('treats %j as an empty ACL', (value) => {
  expect(aclOf(value)).toEqual({})
})

it('keeps the valid rights of an ACL', () => {
  expect(aclOf({ '*': { read: true }, constructor: null, toString: 'x' })).toEqual({ '*': { read: true } })
})
