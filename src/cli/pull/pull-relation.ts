import type { FieldOfMembers } from '../../import/forms/form.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markBehind, type Round, roundsUntil } from './round.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** A relation field with the class of its members. */
export type RelationOfClass = FieldOfMembers & { readonly targetClass: string }

/** Members that are asked for at once, and after how many objects the place is noted though none had any. */
const PAGE = 1000
const OWNERS = 200
/** Objects whose members are asked for together, and how many of each at most: a megabyte of answers. */
const TOGETHER = 20
const FIRST = 200

/**
 * Brings the members of a relation: those of every object that has the field, or of those that were changed since the last
 * time. Members that were taken out are not noticed.
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
    const ids = page.map(({ id }) => id)
    for await (const { owningId, members, isLast } of membersOf(source, field, ids)) {
      // Until the last of them is written, all members of the object are asked for again.
      items.push(...members.map((relatedId) => ({ text: JSON.stringify({ owningId, relatedId }), mark })))
      if (items.length >= PAGE) await flush()
      if (!isLast) continue
      mark = markBehind(round, owningId)
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

/** An answer to a query of members. */
interface Answered {
  readonly ids: readonly string[]
  /** How many there are with these and behind them; null where the source does not say it. */
  readonly count: number | null
}

/** Sources that do not answer to a batch of queries, or not as they do to these by themselves. */
const withoutBatches = new WeakSet<SourceApp>()
/** Sources of which a batch has shown members as a query by itself did: nobody has tried the hosted service. */
const withBatches = new WeakSet<SourceApp>()

/**
 * The ids of the members of objects, of each in their order, page by page; an object without any has one page. Most objects
 * have few: their queries go together in a batch, where the source takes one (protocol/conventions, Batch). What a batch does not
 * tell beyond doubt is asked for by itself.
 * @param owningIds of the objects, in the order in which they are told
 * @throws as `SourceApp.text`; Error where the source counts members that it does not show
 */
export async function* membersOf(
  source: SourceApp,
  relation: RelationOfClass,
  owningIds: readonly string[],
): AsyncGenerator<MembersPage> {
  for (let begin = 0; begin < owningIds.length; begin += TOGETHER) {
    const owners = owningIds.slice(begin, begin + TOGETHER)
    const first = owners.length > 1 ? await firstPages(source, relation, owners) : []
    for (const [index, owningId] of owners.entries()) {
      let page = first[index] ?? null
      for (let isLast = false, last: string | null = null; !isLast; ) {
        page ??= await pageOf(source, relation, owningId, last)
        const { ids, count } = page
        isLast = count === null ? ids.length === 0 : ids.length >= count
        yield { owningId, members: ids, isLast }
        last = ids.at(-1) ?? last
        page = null
      }
    }
  }
}

/** @returns what the batch tells of each; null, or nothing, where it has to be asked for by itself */
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
  // Of another number of answers nobody knows which is whose.
  const pages = owners.map((_, index) => (answers.length === owners.length ? successIn(answers[index]) : null))
  if (pages.every((page) => page === null)) withoutBatches.add(source)
  return withBatches.has(source) ? pages : checked(source, relation, owners, pages)
}

/** An empty list may be one that a batch cannot show: until one with members was the same by itself, each is asked for. */
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

/** @returns null for what is no list of members, or one that is empty though there are some */
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
  // Members may be taken out between being counted and being shown, so one that is odd is asked for again.
  for (let attempt = 1; ; attempt++) {
    const answer = await source.object(`/1.1/classes/${targetClass}`, queryOf(relation, owningId, last, limit))
    const page = answeredIn(answer)
    if (!page) throw new NoticedError(notice('sourceQueryWithoutResults', { className: targetClass }))
    const isOdd = (page.ids.length === 0 && page.count !== null && page.count > 0) || page.ids.includes(last ?? '')
    if (!isOdd) return page
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
  if (!ids.every((id) => typeof id === 'string')) return null
  return { ids, count: typeof count === 'number' ? count : null }
}
