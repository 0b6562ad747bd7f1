import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { decodeBase64 } from './decode-base64.ts'

const SLICE = 256 * 1024

/** Numbers of bytes around the end of a slice. */
const sizes = [0, 1, 2, 3, 1000, ...[-3, -2, -1, 0, 1, 2, 3, 4].map((more) => (SLICE / 4) * 3 + more), 2_000_000]

it.each(sizes)('decodes %d bytes like the text as a whole', async (size) => {
  const bytes = randomBytes(size)
  const text = bytes.toString('base64')
  const lines = text.replace(/.{76}/g, '$&\r\n')
  for (const form of [text, text.replace(/=+$/, ''), bytes.toString('base64url'), lines, `${text}\n`, ` ${text} `])
    expect((await decodeBase64(form))?.equals(bytes)).toBe(true)
})

it.each([0, 10, SLICE - 1, SLICE, SLICE + 1, 2 * SLICE])('rejects an invalid character at %d', async (at) => {
  const text = 'A'.repeat(2 * SLICE + 100)
  for (const character of ['%', 'é', '.', '\0', ','])
    expect(await decodeBase64(text.slice(0, at) + character + text.slice(at))).toBeNull()
})

it('rejects padding in the middle of a large text', async () => {
  expect(await decodeBase64(`AA==${'A'.repeat(2 * SLICE)}`)).toBeNull()
  expect(await decodeBase64(`${'A'.repeat(2 * SLICE)}==AAAA`)).toBeNull()
})

it('lets other work run while it decodes', async () => {
  let iterations = 0
  let isDone = false
  const count = () => {
    iterations++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await decodeBase64(randomBytes(14_000_000).toString('base64'))
  isDone = true
  expect(iterations).toBeGreaterThan(60)
})
