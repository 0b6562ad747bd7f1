import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { inPieces } from './large-texts.ts'

const GEO_POINT = '{"__type":"GeoPoint","latitude":40,"longitude":-1.5}'
const SHOWN = '{"__type":"GeoPoint","latitude":40.0,"longitude":-1.5}'

it.each([1, 1000, 65_535, 65_536, 65_537, 300_000])(
  'sends parts of %i characters unchanged, whatever characters pieces end with',
  async (size) => {
    for (const filling of ['x', 'é', '文', '😀', 'x😀']) {
      const part = `"${filling.repeat(Math.ceil(size / filling.length))}"`
      expect(await text(inPieces([part, ',', `x${part}`, ',', part]))).toBe(`${part},x${part},${part}`)
    }
  },
)

it('shows GeoPoints with floats in small and large parts', async () => {
  const large = `"${'x'.repeat(200_000)}"`
  const sent = await text(inPieces([`[${GEO_POINT}`, ',', `[${large},${GEO_POINT}]`, ',', GEO_POINT, ']']))
  expect(sent).toBe(`[${SHOWN},[${large},${SHOWN}],${SHOWN}]`)
})

it('shows GeoPoints with floats wherever a piece would end', async () => {
  for (let before = 65_536 - 70; before <= 65_536 + 10; before++) {
    const filling = `"${'x'.repeat(before)}"`
    const points = Array.from({ length: 2000 }, () => GEO_POINT)
    const shown = Array.from({ length: 2000 }, () => SHOWN)
    expect(await text(inPieces([`[${[filling, ...points].join(',')}]`]))).toBe(`[${[filling, ...shown].join(',')}]`)
  }
})

it('does not split a GeoPoint with a number of hundreds of digits', async () => {
  const tiny = `0.${'0'.repeat(330)}12345678901234567`
  const point = `{"__type": "GeoPoint", "latitude": ${tiny}, "longitude": 40}`
  for (let before = 65_536 - 420; before <= 65_536; before += 30) {
    const part = `["${'x'.repeat(before)}", ${point}]`
    expect(await text(inPieces([part]))).toBe(part.replace(': 40}', ': 40.0}'))
  }
})

it('yields to the event loop between two pieces', async () => {
  let iterations = 0
  let over = false
  const count = () => {
    iterations++
    if (!over) setImmediate(count)
  }
  setImmediate(count)
  await text(inPieces([`"${'x'.repeat(64 * 1024 * 20)}"`]))
  over = true
  expect(iterations).toBeGreaterThanOrEqual(20)
})
