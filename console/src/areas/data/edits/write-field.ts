import type { QueryClient } from '@tanstack/react-query'
import { callApp } from '../../../api/apps.ts'
import { ownMember } from '../../../api/own-member.ts'
import { Problem, path } from '../../../api/request.ts'
import { type DataObject, objectQuery, rowsKey } from '../data-queries.ts'
import { keepObject, knownObject } from './row-cache.ts'

/** Error code: the condition of an update did not hold. */
const NO_EFFECT = 305
/** The number of attempts for objects written concurrently. */
const ATTEMPTS = 3

/** The field was changed by another client since it was read. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/**
 * Changes one field of an object: immediately in the cache, and in the database if the field is unchanged since it was read.
 * @param value undefined: removes the field from the object
 * @returns the previous value
 * @throws Problem, Conflict; then the cache has the previous or the concurrently written value
 */
export async function writeField(
  queries: QueryClient,
  appId: string,
  className: string,
  shown: DataObject,
  field: string,
  value: unknown,
): Promise<unknown> {
  const { objectId } = shown
  const keep = (change: object) => {
    const now = knownObject(queries, appId, className, objectId) ?? shown
    keepObject(queries, appId, className, objectId, { ...now, ...change } as DataObject)
  }
  const before = ownMember(knownObject(queries, appId, className, objectId) ?? shown, field)
  let { updatedAt } = knownObject(queries, appId, className, objectId) ?? shown
  keep({ [field]: value })
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const written = await update(appId, className, objectId, updatedAt, field, value)
        keep({ updatedAt: written.updatedAt })
        void queries.invalidateQueries({ queryKey: [...rowsKey(appId, className), 'title', objectId] })
        return before
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== NO_EFFECT) throw error
        const now = await queries.fetchQuery({ ...objectQuery(appId, className, objectId), staleTime: 0 })
        if (now && isSame(ownMember(now, field), before) && attempt < ATTEMPTS) {
          updatedAt = now.updatedAt
          continue
        }
        keepObject(queries, appId, className, objectId, now)
        throw new Conflict()
      }
    }
  } catch (error) {
    if (!(error instanceof Conflict)) keep({ [field]: before })
    throw error
  }
}

function update(appId: string, className: string, objectId: string, readAt: string, field: string, value: unknown) {
  return callApp<{ updatedAt: string }>(appId, 'PUT', path`/1.1/classes/${className}/${objectId}`, {
    query: { where: { updatedAt: { __type: 'Date', iso: readAt } } },
    body: { [field]: value === undefined ? { __op: 'Delete' } : value },
  })
}

/** Returns whether two values are equal on the wire; the order of members can differ. */
function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
