import type { FieldOfMembers } from '../../import/forms/form.ts'
import type { JsonObject } from '../../values/json.ts'
import { objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markBehind, roundOf } from './round.ts'
import type { SourceApp } from './source-app.ts'

/** A relation field with the class of its members. */
export type RelationOfClass = FieldOfMembers & { readonly targetClass: string }

/** Members that are asked for at once, and after how many objects the place is noted though none had any. */
const PAGE = 1000
const OWNERS = 200

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
    for (const { id } of page) {
      for await (const members of membersOf(source, field, id)) {
        // Until the last of them is written, all members of the object are asked for again.
        items.push(...members.map((relatedId) => ({ text: JSON.stringify({ owningId: id, relatedId }), mark })))
        if (items.length >= PAGE) await flush()
      }
      mark = markBehind(round, id)
      if (++owners >= OWNERS) await flush()
    }
    await flush()
  }
  mark = endMark(round)
  await flush()
  return part
}

/** The ids of the members of one object, in their order, page by page. */
export async function* membersOf(
  source: SourceApp,
  { className, field, targetClass }: RelationOfClass,
  owningId: string,
): AsyncGenerator<string[]> {
  for (let last: string | null = null; ; ) {
    const where: JsonObject = {
      $relatedTo: { object: { __type: 'Pointer', className, objectId: owningId }, key: field },
      ...(last !== null && { objectId: { $gt: last } }),
    }
    const query = { where, keys: 'objectId', order: 'objectId', limit: PAGE }
    const { results } = await source.object(`/1.1/classes/${targetClass}`, query)
    if (!Array.isArray(results)) throw new Error(`the source answers to a query of ${targetClass} without 'results'`)
    const ids = results.map((object) => String((object as JsonObject).objectId))
    yield ids
    // A page may be cut off at 6 MB, but not one of ids.
    if (ids.length < PAGE) return
    last = ids.at(-1)!
  }
}
