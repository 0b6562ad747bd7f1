import type { FieldOfMembers } from '../../import/forms/form.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { checkAscending, isCursor } from './advancing.ts'
import { idsOf, objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markOutdated, type Round, roundsUntil } from './round.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** A relation field with the class of its members. */
export type RelationOfClass = FieldOfMembers & { readonly targetClass: string }

/** Members per request, and objects without members after which the position is stored. */
const PAGE = 1000
const OWNERS = 200
/** Objects whose members are requested in one batch, and maximum members of each: a megabyte of responses. */
const TOGETHER = 20
const FIRST = 200

/**
 * Pulls the members of a relation: those of all objects with the field, or of objects changed since the last pull. Removed
 * members are not detected.
 */
export async function pullRelation(
  source: SourceApp,
  target: PullTarget,
  field: RelationOfClass,
  now: string,
): Promise<Part> {
  const part = await Part.open(target, `${field.className}.${field.field}`)
  for (const round of roundsUntil(part.mark, now)) await pullRound(source, part, field, round)
  return part
}

async function pullRound(source: SourceApp, part: Part, field: RelationOfClass, round: Round): Promise<void> {
  const of = { kind: 'relations', ...field } as const
  let items: PulledItem[] = []
  let owners = 0
  let mark = JSON.stringify(round)
  const flush = async () => {
    await part.write(of, items, mark)
    items = []
    owners = 0
  }
  for await (const page of objectsOf(source, field.className, { ...round, keys: 'objectId' })) {
    for await (const { owningId, members, isLast } of membersOf(source, field, idsOf(page))) {
      // Until its last members are written, an interrupted pull requests all members of the object again.
      items.push(...members.map((relatedId) => ({ text: JSON.stringify({ owningId, relatedId }), mark })))
      if (items.length >= PAGE) await flush()
      if (!isLast) continue
      mark = markOutdated(round, owningId)
      if (++owners >= OWNERS) await flush()
    }
    await flush()
  }
  mark = endMark(round)
  await flush()
}

/** Ids of members of an object, and whether these are the last ones. */
interface MembersPage {
  readonly owningId: string
  readonly members: readonly string[]
  readonly isLast: boolean
}

/** The response to a query of members. */
interface Answered {
  readonly ids: readonly string[]
  /** Number of members in and after the page; null when the source does not return it. */
  readonly count: number | null
}

/** Sources without working batches, or whose batches differ from single queries. */
const withoutBatches = new WeakSet<SourceApp>()
/** Sources whose batches have returned the same members as a single query. The hosted service has not been tested. */
const withBatches = new WeakSet<SourceApp>()

/**
 * Yields the ids of the members of objects page by page, ordered by id. An object without members has one page. Most objects have
 * few members: their queries are sent as a batch, if the source supports it (protocol/conventions, Batch). Ambiguous results of a
 * batch are requested again individually.
 * @param owningIds ids of the objects, in the order of the result
 * @throws as `SourceApp.text`; Error when the source counts members that it does not show
 */
export async function* membersOf(
  source: SourceApp,
  relation: RelationOfClass,
  owningIds: readonly string[],
): AsyncGenerator<MembersPage> {
  const { className, field } = relation
  for (let begin = 0; begin < owningIds.length; begin += TOGETHER) {
    const owners = owningIds.slice(begin, begin + TOGETHER)
    const first = owners.length > 1 ? await firstPages(source, relation, owners) : []
    for (const [index, owningId] of owners.entries()) {
      let page = first[index] ?? null
      for (let isLast = false, last: string | null = null; !isLast; ) {
        page ??= await pageOf(source, relation, owningId, last)
        const { ids, count } = page
        checkAscending(notice('membersOfObject', { className, field, owner: owningId }), last, ids)
        isLast = count === null ? ids.length === 0 : ids.length >= count
        yield { owningId, members: ids, isLast }
        last = ids.at(-1) ?? last
        page = null
      }
    }
  }
}

/** @returns the results of the batch; null or missing ones must be requested individually */
async function firstPages(
  source: SourceApp,
  relation: RelationOfClass,
  owners: readonly string[],
): Promise<(Answered | null)[]> {
  if (withoutBatches.has(source)) return []
  const requests = owners.map((owningId) => ({
    method: 'GET',
    path: `/1.1/classes/${relation.targetClass}`,
    params: queryOf(relation, owningId, null, FIRST),
  }))
  const answers = await source.list('/1.1/batch', { requests }).catch((error: unknown) => {
    if (error instanceof SourceRefusal) return []
    throw error
  })
  // With a different number of responses, they cannot be assigned to queries.
  const pages = owners.map((_, index) => (answers.length === owners.length ? successIn(answers[index]) : null))
  if (pages.every((page) => page === null)) withoutBatches.add(source)
  return withBatches.has(source) ? pages : checked(source, relation, owners, pages)
}

/** Verifies batches of a source against single queries, because an empty list may mean that its batches cannot return members. */
async function checked(
  source: SourceApp,
  relation: RelationOfClass,
  owners: readonly string[],
  pages: readonly (Answered | null)[],
): Promise<(Answered | null)[]> {
  const known: (Answered | null)[] = []
  for (const [index, page] of pages.entries()) {
    if (withBatches.has(source) || withoutBatches.has(source) || !page) {
      known.push(withoutBatches.has(source) ? null : page)
      continue
    }
    const alone = await pageOf(source, relation, owners[index]!, null, FIRST)
    if (alone.ids.join() !== page.ids.join()) withoutBatches.add(source)
    else if (alone.ids.length > 0) withBatches.add(source)
    known.push(alone)
  }
  return known
}

/** @returns null when the response is not a list of members, or is empty although there are some */
function successIn(answer: Json | undefined): Answered | null {
  const page = isJsonObject(answer) && isJsonObject(answer.success) ? answeredIn(answer.success) : null
  if (!page || page.count === null) return null
  return page.ids.length === 0 && page.count > 0 ? null : page
}

async function pageOf(
  source: SourceApp,
  relation: RelationOfClass,
  owningId: string,
  last: string | null,
  limit = PAGE,
): Promise<Answered> {
  const { targetClass, className, field } = relation
  // A member may be removed between count and result, so an inconsistent page is requested again.
  for (let attempt = 1; ; attempt++) {
    const answer = await source.object(`/1.1/classes/${targetClass}`, queryOf(relation, owningId, last, limit))
    const page = answeredIn(answer)
    if (!page) throw new NoticedError(notice('sourceQueryWithoutResults', { className: targetClass }))
    const isInconsistent =
      (page.ids.length === 0 && page.count !== null && page.count > 0) || page.ids.includes(last ?? '')
    if (!isInconsistent) return page
    if (attempt === 2) throw new NoticedError(notice('sourceHidesMembers', { className, field, owner: owningId }))
  }
}

function queryOf({ className, field }: RelationOfClass, owningId: string, last: string | null, limit: number) {
  const where: JsonObject = {
    $relatedTo: { object: { __type: 'Pointer', className, objectId: owningId }, key: field },
    ...(last !== null && { objectId: { $gt: last } }),
  }
  return { where, keys: 'objectId', order: 'objectId', limit, count: 1 }
}

function answeredIn({ results, count }: JsonObject): Answered | null {
  if (!Array.isArray(results)) return null
  const ids = results.map((object) => (isJsonObject(object) ? object.objectId : null))
  if (!ids.every(isCursor)) return null
  return { ids, count: typeof count === 'number' ? count : null }
}
