const GEO_POINT = /("__type": ?"GeoPoint", ?"latitude": ?)([-\d.e]+)(, ?"longitude": ?)([-\d.e]+)/g

/**
 * Writes the coordinates of the GeoPoints in an answer as floats: 40 as `40.0` (protocol/storage, Column types). Dart
 * tells the two apart. Within a text the quotes would be escaped, so that none is taken for a GeoPoint.
 */
export function withGeoPointFloats(json: string): string {
  if (!json.includes('"GeoPoint"')) return json
  return json.replace(GEO_POINT, (_, head, latitude, middle, longitude) => {
    return head + asFloat(latitude) + middle + asFloat(longitude)
  })
}

function asFloat(number: string): string {
  return /^-?\d+$/.test(number) ? `${number}.0` : number
}
