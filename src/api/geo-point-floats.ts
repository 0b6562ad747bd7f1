const GEO_POINT = /("__type": ?"GeoPoint", ?"latitude": ?)([-\d.e]+)(, ?"longitude": ?)([-\d.e]+)/g

/**
 * Writes the coordinates of GeoPoints in a response as floats: 40 as `40.0` (protocol/storage, Column types), because
 * Dart distinguishes the two. Within a text the quotes are escaped, so that texts are not changed.
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
