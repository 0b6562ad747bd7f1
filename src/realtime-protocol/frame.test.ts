import { expect, it } from 'vitest'
import { frameOf } from './frame.ts'

it.each([
  [0, [0x82, 0]],
  [1, [0x82, 1]],
  [125, [0x82, 125]],
  [126, [0x82, 126, 0, 126]],
  [65_535, [0x82, 126, 255, 255]],
  [65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('writes a payload of %i bytes with the header %j', (length, header) => {
  const payload = Buffer.alloc(length, 'x')
  expect(frameOf(payload)).toEqual(Buffer.concat([Buffer.from(header), payload]))
})

it('writes a string as a text frame with its length in bytes', () => {
  expect(frameOf('你好')).toEqual(Buffer.concat([Buffer.from([0x81, 6]), Buffer.from('你好')]))
})
