import { jsonElements } from '../../import/forms/json-elements.ts'
import { ByteReader } from '../../import/sources/byte-reader.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import type { JsonObject } from '../../values/json.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** An object as the source has sent it. */
export interface PulledObject {
  readonly id: string
  /** As it came: a number beyond 2^53 is still whole. */
  readonly text: string
}

export interface Wanted {
  /** Only objects behind this id; null: from the first one on. */
  readonly after: string | null
  /** Only objects that have been changed since then; null: all. */
  readonly since: string | null
  /** Only these fields; all of them unless told. */
  readonly keys?: string
}

const MAX_LIMIT = 1000
const NO_CLASS = 101
/** An answer has 6 MB at most, and is cut off there without a word: a shorter one than this has not been. */
const PERHAPS_CUT = 4 * 1024 * 1024
/** Answers with fewer bytes than this can as well have twice as many objects. */
const SMALL = 2 * 1024 * 1024

/**
 * The objects of a class in the order of their ids, page by page. By class queries, each of which begins behind the last
 * object that came, so that none depends on what the source remembers: a scan shows no ACLs (protocol/storage, Scan).
 * @throws as `SourceApp.text`
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
      // It has fields and no objects.
      if (error instanceof SourceRefusal && error.code === NO_CLASS && last === null) return '{"results":[]}'
      throw error
    })
    const page = await pageOf(text)
    if (page.length > 0) {
      yield page
      last = page.at(-1)!.id
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
 * Some objects of a class, as they are; those that there are not any more are left out.
 * @param ids a few
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
  // An answer that was cut off has fewer.
  if (page.length === ids.length || ids.length === 1) return page
  const middle = Math.ceil(ids.length / 2)
  return [
    ...(await objectsWith(source, className, ids.slice(0, middle))),
    ...(await objectsWith(source, className, ids.slice(middle))),
  ]
}

/** A short answer is the end, unless the source shows fewer than it is asked for, or the next object alone is too large. */
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
  const texts: string[] = []
  for await (const element of jsonElements(new ByteReader(only(Buffer.from(text))))) texts.push(element.text)
  return results.map((object: { objectId?: unknown } | null, index): PulledObject => {
    if (typeof object?.objectId !== 'string') throw new NoticedError(notice('sourceObjectWithoutId'))
    return { id: object.objectId, text: texts[index]! }
  })
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
