import { pathOfKey } from '../../files/file-key.ts'
import { isInternalFile } from '../../import/internal-file.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** Number of records that are inspected, of the oldest and of the latest, because domains have changed over the years. */
const LOOKED_AT = 1000

/** Returns the hosts of the source's files according to some of its records, each with the path between host and key. */
export async function urlLocations(source: SourceApp): Promise<string[]> {
  const locations = new Set<string>()
  for (const order of ['createdAt', '-createdAt']) {
    for (const record of await recordsBy(source, order)) {
      const location = locationOf(record)
      if (location !== null) locations.add(location)
    }
  }
  return [...locations]
}

async function recordsBy(source: SourceApp, order: string): Promise<JsonObject[]> {
  try {
    const query = { order, limit: LOOKED_AT, keys: 'key,url,metaData' }
    const { results } = await source.object('/1.1/classes/_File', query)
    return Array.isArray(results) ? results.filter(isJsonObject) : []
  } catch (error) {
    // The source has no files, or does not show them.
    if (error instanceof SourceRefusal) return []
    throw error
  }
}

function locationOf(record: JsonObject): string | null {
  const { key, url } = record
  if (!isInternalFile(record) || typeof key !== 'string' || typeof url !== 'string') return null
  const [, below] = /^https?:\/\/([^?#]+)/i.exec(url) ?? []
  const ending = [`/${key}`, `/${pathOfKey(key)}`].find((one) => below?.endsWith(one))
  return ending === undefined ? null : below!.slice(0, -ending.length)
}
