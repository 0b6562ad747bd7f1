import { jsonElements } from '../../import/forms/json-elements.ts'
import type { ImportRecord } from '../../import/forms/record.ts'
import { ByteReader } from '../../import/sources/byte-reader.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import type { JsonObject } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import { checkAscending } from './advancing.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** An object as sent by the source. */
export interface PulledObject {
  /** null for an invalid id: the import rejects the object. */
  readonly id: string | null
  /** The original text, in which numbers beyond 2^53 are still exact. */
  readonly text: string
  /** Why it is rejected. */
  readonly reason?: Notice | undefined
}

/** Returns the valid ids of objects. */
export function idsOf(objects: readonly PulledObject[]): string[] {
  return objects.flatMap(({ id }) => (id === null ? [] : [id]))
}

export interface Wanted {
  /** Only objects after this id; null: from the first one. */
  readonly after: string | null
  /** Only objects changed since then; null: all. */
  readonly since: string | null
  /** Only these fields; default all. */
  readonly keys?: string
}

const MAX_LIMIT = 1000
const NO_CLASS = 101
/** Responses have at most 6 MB and are truncated there without an error. A response shorter than this was not truncated. */
const PERHAPS_CUT = 4 * 1024 * 1024
/** Responses with fewer bytes allow twice as many objects per page. */
const SMALL = 2 * 1024 * 1024

/**
 * Yields the objects of a class page by page, ordered by id. Each class query starts after the last received object, so that it
 * depends on no state of the source. Scans are not used because they return no ACLs (protocol/storage, Scan).
 * @throws as `SourceApp.text`; NoAdvance
 */
export async function* objectsOf(
  source: SourceApp,
  className: string,
  { after, since, keys }: Wanted,
): AsyncGenerator<readonly PulledObject[]> {
  let limit = MAX_LIMIT
  for (let last = after; ; ) {
    const where = conditionOf(last, since)
    const view = keys === undefined ? { returnACL: 'true' } : { keys }
    const query = { ...(where && { where }), order: 'objectId', limit, ...view }
    const text = await source.text(`/1.1/classes/${className}`, query).catch((error: unknown) => {
      // The class has fields but no objects.
      if (error instanceof SourceRefusal && error.code === NO_CLASS && last === null) return '{"results":[]}'
      throw error
    })
    const page = await pageOf(text)
    if (page.length > 0) {
      const ids = idsOf(page)
      checkAscending(notice('objectsOfClass', { className }), last, ids)
      if (ids.length === 0) throw new NoticedError(notice('sourceIdsInvalid', { className }))
      yield page
      last = ids.at(-1)!
    }
    const size = Buffer.byteLength(text)
    if (page.length >= limit) {
      if (size < SMALL) limit = Math.min(MAX_LIMIT, limit * 2)
    } else if (size >= PERHAPS_CUT) limit = Math.max(1, Math.floor(page.length * 0.75))
    else if (!(await hasMore(source, className, conditionOf(last, since)))) return
    else if (page.length === 0) {
      if (limit === 1)
        throw new NoticedError(notice('sourceHidesObject', { className, after: last ?? notice('theFirst') }))
      limit = 1
    }
  }
}

/**
 * Returns objects of a class by their ids. Objects that no longer exist are omitted.
 * @param ids a small number of ids
 * @throws as `SourceApp.text`
 */
export async function objectsWith(
  source: SourceApp,
  className: string,
  ids: readonly string[],
): Promise<readonly PulledObject[]> {
  if (ids.length === 0) return []
  const where = { objectId: { $in: ids } }
  const text = await source.text(`/1.1/classes/${className}`, { where, limit: ids.length, returnACL: 'true' })
  const page = await pageOf(text)
  // A truncated response has fewer objects.
  if (page.length === ids.length || ids.length === 1) return page
  const middle = Math.ceil(ids.length / 2)
  return [
    ...(await objectsWith(source, className, ids.slice(0, middle))),
    ...(await objectsWith(source, className, ids.slice(middle))),
  ]
}

/**
 * Returns whether objects follow a short page. It may be short because of a limit of the source, or because the next object is
 * too large.
 */
async function hasMore(source: SourceApp, className: string, where: JsonObject | null): Promise<boolean> {
  try {
    const { count } = await source.object(`/1.1/classes/${className}`, { ...(where && { where }), count: 1, limit: 0 })
    return typeof count === 'number' && count > 0
  } catch (error) {
    if (error instanceof SourceRefusal) return false
    throw error
  }
}

function conditionOf(after: string | null, since: string | null): JsonObject | null {
  if (after === null && since === null) return null
  return {
    ...(after !== null && { objectId: { $gt: after } }),
    ...(since !== null && { updatedAt: { $gte: { __type: 'Date', iso: since } } }),
  }
}

async function pageOf(text: string): Promise<PulledObject[]> {
  const { results } = JSON.parse(text) as { results?: unknown }
  if (!Array.isArray(results)) throw new NoticedError(notice('sourceAnswerWithoutResults'))
  const elements: ImportRecord[] = []
  for await (const element of jsonElements(new ByteReader(only(Buffer.from(text))))) elements.push(element)
  // A member `results` occurs twice.
  if (elements.length !== results.length) throw new NoticedError(notice('sourceAnswerWithResultsTwice'))
  return results.map((object: { objectId?: unknown } | null, index): PulledObject => {
    const id = object?.objectId
    if (typeof id !== 'string') throw new NoticedError(notice('sourceObjectWithoutId'))
    const { text, reason } = elements[index]!
    return { id: isObjectId(id) ? id : null, text, reason }
  })
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
