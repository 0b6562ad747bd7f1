import { type IdRange, MAX_IDS, type PulledId, type PulledPart } from '../../import/pulled.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { idsOf, objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { membersOf, type RelationOfClass } from './pull-relation.ts'
import { removeDeleted } from './remove-deleted.ts'
import type { SourceApp } from './source-app.ts'

/** The result of comparing the ids of a part. */
export interface Compared {
  readonly part: Part
  /** The name in reports: `Post`, `Post.likes`. */
  readonly name: string
  readonly removed: number
  /** Objects deleted at the source that were changed here later, and were kept. */
  readonly kept: number
  /** Why nothing was removed; null when everything to be removed was removed. */
  readonly refusal: Notice | null
}

/** The position of a comparison: after an id, or done with comparing and removing missing objects. */
type CompareMark = { readonly after: string | null } | { readonly done: boolean }

const OWNERS = 200

/**
 * Compares the ids of a class with the source, and removes pulled objects here that were deleted there.
 * @param allowMany whether to remove any number of objects
 * @throws Error with one line for the user
 */
export async function compareClass(
  source: SourceApp,
  target: PullTarget,
  className: string,
  allowMany: boolean,
): Promise<Compared> {
  const of: PulledPart = { source: target.sourceApp, className, field: null }
  const find = (ids: readonly PulledId[]) =>
    idsThere(source, className, { objectId: { $in: ids.map(({ id }) => id) } }, ids)
  return compare(target, of, allowMany, find, async (part, after) => {
    let last = after
    const write = (upTo: string | null, ids: readonly string[]) => {
      const range: IdRange = { owningId: null, after: last, upTo, ids }
      const items = [{ text: JSON.stringify(range), mark: markOutdated(upTo ?? last) }]
      return part.write({ kind: 'ids', className, field: null }, items)
    }
    for await (const page of objectsOf(source, className, { after, since: null, keys: 'objectId' })) {
      const ids = idsOf(page)
      const upTo = ids.at(-1)!
      await write(upTo, ids)
      last = upTo
    }
    await write(null, [])
  })
}

/** Compares the members of a relation, and removes pulled members here that were removed there. */
export async function compareRelation(
  source: SourceApp,
  target: PullTarget,
  relation: RelationOfClass,
  allowMany: boolean,
): Promise<Compared> {
  const { className, field, targetClass } = relation
  const of: PulledPart = { source: target.sourceApp, className, field }
  const find = async (ids: readonly PulledId[]) => {
    const found: PulledId[] = []
    for (const owningId of new Set(ids.map((one) => one.owningId!))) {
      const ofOwner = ids.filter((one) => one.owningId === owningId)
      const object = { __type: 'Pointer', className, objectId: owningId }
      const where = { $relatedTo: { object, key: field }, objectId: { $in: ofOwner.map(({ id }) => id) } }
      found.push(...(await idsThere(source, targetClass, where, ofOwner)))
    }
    return found
  }
  return compare(target, of, allowMany, find, async (part, after) => {
    let items: PulledItem[] = []
    let mark = markOutdated(after)
    const flush = async () => {
      if (items.length > 0) await part.write({ kind: 'ids', className, field }, items, mark)
      items = []
    }
    for await (const page of objectsOf(source, className, { after, since: null, keys: 'objectId' })) {
      let last: string | null = null
      for await (const { owningId, members, isLast } of membersOf(source, relation, idsOf(page))) {
        const push = (upTo: string | null, some: readonly string[]) => {
          const range: IdRange = { owningId, after: last, upTo, ids: some }
          items.push({ text: JSON.stringify(range), mark })
          last = upTo
        }
        if (members.length > 0) push(members.at(-1)!, members)
        if (items.length >= OWNERS) await flush()
        if (!isLast) continue
        // The last range of an object is open-ended.
        push(null, [])
        mark = markOutdated(owningId)
        if (items.length >= OWNERS) await flush()
      }
    }
    await flush()
  })
}

/**
 * @param find returns which of some ids the source has after all
 * @param iterate records all ids of the source after an id
 */
async function compare(
  target: PullTarget,
  of: PulledPart,
  allowMany: boolean,
  find: (ids: readonly PulledId[]) => Promise<readonly PulledId[]>,
  iterate: (part: Part, after: string | null) => Promise<void>,
): Promise<Compared> {
  const name = of.field === null ? of.className : `${of.className}.${of.field}`
  const kind = { kind: 'ids', className: of.className, field: of.field } as const
  let part = await Part.open(target, `${name} (ids)`, false)
  let mark = JSON.parse(part.mark ?? '{"after":null}') as CompareMark
  if ('done' in mark && mark.done) {
    part = await Part.open(target, `${name} (ids)`, true)
    mark = { after: null }
  }
  const setDone = (done: boolean) => part.write(kind, [], JSON.stringify({ done } satisfies CompareMark))
  if ('after' in mark) {
    await iterate(part, mark.after)
    await setDone(false)
  }
  const outcome = await removeDeleted(target, of, allowMany, find)
  // A refused removal is evaluated again next time, because many objects may have been restored by then.
  await setDone(true)
  return { part, name, ...outcome }
}

function markOutdated(after: string | null): string {
  return JSON.stringify({ after } satisfies CompareMark)
}

/** Returns which of some ids the source has. */
async function idsThere(
  source: SourceApp,
  className: string,
  where: JsonObject,
  ids: readonly PulledId[],
): Promise<PulledId[]> {
  const { results } = await source.object(`/1.1/classes/${className}`, { where, keys: 'objectId', limit: MAX_IDS })
  if (!Array.isArray(results)) throw new NoticedError(notice('sourceQueryWithoutResults', { className }))
  const there = new Set(results.map((object) => (isJsonObject(object) ? object.objectId : null)))
  return ids.filter(({ id }) => there.has(id))
}
