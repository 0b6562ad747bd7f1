import type { FieldOfMembers } from '../../import/forms/form.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markBehind, roundOf } from './round.ts'
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
  const round = roundOf(part.mark, now)
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
  return part
}

/** Ids of members of an object, and whether these are the last ones. */
interface MembersPage {
  readonly owningId: string
  readonly members: readonly string[]
  readonly isLast: boolean
}

/** Sources that do not answer to a batch of queries. */
const withoutBatches = new WeakSet<SourceApp>()

/**
 * The ids of the members of objects, of each in their order, page by page; an object without any has one page. Most objects
 * have few: their queries go together in a batch, where the source takes one (protocol/conventions, Batch).
 * @param owningIds of the objects, in the order in which they are told
 * @throws as `SourceApp.text`
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
      let members = first[index] ?? null
      let limit = members ? FIRST : PAGE
      for (let isLast = false, last: string | null = null; !isLast; ) {
        members ??= await pageOf(source, relation, owningId, last)
        // A page may be cut off at 6 MB, but not one of ids.
        isLast = members.length < limit
        yield { owningId, members, isLast }
        last = members.at(-1) ?? null
        members = null
        limit = PAGE
      }
    }
  }
}

/** @returns what the batch tells of each; null, or nothing, where it has to be asked for by itself */
async function firstPages(
  source: SourceApp,
  relation: RelationOfClass,
  owners: readonly string[],
): Promise<(string[] | null)[]> {
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
  const pages = owners.map((_, index) => {
    const answer = answers[index]
    return isJsonObject(answer) && isJsonObject(answer.success) ? idsIn(answer.success) : null
  })
  if (pages.every((page) => page === null)) withoutBatches.add(source)
  return pages
}

async function pageOf(source: SourceApp, relation: RelationOfClass, owningId: string, last: string | null) {
  const { targetClass } = relation
  const members = idsIn(await source.object(`/1.1/classes/${targetClass}`, queryOf(relation, owningId, last, PAGE)))
  if (!members) throw new Error(`the source answers to a query of ${targetClass} without 'results'`)
  return members
}

function queryOf({ className, field }: RelationOfClass, owningId: string, last: string | null, limit: number) {
  const where: JsonObject = {
    $relatedTo: { object: { __type: 'Pointer', className, objectId: owningId }, key: field },
    ...(last !== null && { objectId: { $gt: last } }),
  }
  return { where, keys: 'objectId', order: 'objectId', limit }
}

function idsIn({ results }: JsonObject): string[] | null {
  return Array.isArray(results) ? results.map((object) => String((object as JsonObject).objectId)) : null
}
