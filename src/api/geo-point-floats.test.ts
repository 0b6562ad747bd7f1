import { expect, it } from 'vitest'
import { withGeoPointFloats } from './geo-point-floats.ts'

const point = (latitude: number | string, longitude: number | string) =>
  `{"__type":"GeoPoint","latitude":${latitude},"longitude":${longitude}}`

it.each([
  ['whole numbers', point(40, -30), point('40.0', '-30.0')],
  ['zero', point(0, 0), point('0.0', '0.0')],
  ['one of two', point(39.9, 116), point(39.9, '116.0')],
  ['fractions and powers stay', point(1e-7, -0.5), point(1e-7, -0.5)],
  ['floats stay', point('40.0', '-30.0'), point('40.0', '-30.0')],
  ['several', `[${point(1, 2)},{"a":${point(3, 4)}}]`, `[${point('1.0', '2.0')},{"a":${point('3.0', '4.0')}}]`],
  [
    'with the spaces of the database',
    '{"a": {"__type": "GeoPoint", "latitude": 4, "longitude": 5}}',
    '{"a": {"__type": "GeoPoint", "latitude": 4.0, "longitude": 5.0}}',
  ],
  ['not within a text', JSON.stringify({ a: point(1, 2) }), JSON.stringify({ a: point(1, 2) })],
  ['nothing else', '{"latitude":40,"type":"GeoPoint"}', '{"latitude":40,"type":"GeoPoint"}'],
])('%s', (_, json, written) => expect(withGeoPointFloats(json)).toBe(written))
