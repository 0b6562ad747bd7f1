import { expect, it } from 'vitest'
import { withGeoPointFloats } from './geo-point-floats.ts'

const point = (latitude: number | string, longitude: number | string) =>
  `{"__type":"GeoPoint","latitude":${latitude},"longitude":${longitude}}`

it.each([
  ['writes integers as floats', point(40, -30), point('40.0', '-30.0')],
  ['writes zero as a float', point(0, 0), point('0.0', '0.0')],
  ['writes one integer of two as a float', point(39.9, 116), point(39.9, '116.0')],
  ['keeps fractions and powers', point(1e-7, -0.5), point(1e-7, -0.5)],
  ['keeps floats', point('40.0', '-30.0'), point('40.0', '-30.0')],
  [
    'converts several points',
    `[${point(1, 2)},{"a":${point(3, 4)}}]`,
    `[${point('1.0', '2.0')},{"a":${point('3.0', '4.0')}}]`,
  ],
  [
    'converts a point with the spaces of PostgreSQL',
    '{"a": {"__type": "GeoPoint", "latitude": 4, "longitude": 5}}',
    '{"a": {"__type": "GeoPoint", "latitude": 4.0, "longitude": 5.0}}',
  ],
  ['does not convert within a string', JSON.stringify({ a: point(1, 2) }), JSON.stringify({ a: point(1, 2) })],
  ['does not convert other objects', '{"latitude":40,"type":"GeoPoint"}', '{"latitude":40,"type":"GeoPoint"}'],
])('%s', (_, json, written) => expect(withGeoPointFloats(json)).toBe(written))
