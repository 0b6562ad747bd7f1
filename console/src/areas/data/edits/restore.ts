import type { ClassDescription } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { request } from '../../../api/request.ts'
import { isBuiltIn } from '../classes/class-list.tsx'
import type { DataObject } from '../data-queries.ts'
import { pointerTo } from '../values/typed-value.ts'

/** Ids per request. */
const AT_ONCE = 500

/** Maximum number of relation members read before objects are deleted. */
const MAX_MEMBERS = 1000

/** An object to delete, with the data the server deletes with it. */
export interface Restorable {
  readonly object: DataObject
  /** Ids of the members of its relations, by field */
  readonly members: ReadonlyMap<string, readonly string[]>
}

/** Returns whether objects of a class can be restored: passwords, sessions and memberships of built-in ones cannot. */
export function canBeRestored({ className }: ClassDescription): boolean {
  return !isBuiltIn(className)
}

/** Reads objects with all data deleted with them; null when their relations have too many members. */
export async function readRestorable(
  appId: string,
  { className, fields }: ClassDescription,
  ids: readonly string[],
): Promise<readonly Restorable[] | null> {
  const relations = Object.entries(fields).filter(([, { type }]) => type === 'Relation')
  const restorable: Restorable[] = []
  let left = MAX_MEMBERS
  for (const object of await readObjects(appId, className, ids)) {
    const members = new Map<string, readonly string[]>()
    for (const [name, { className: target = '' }] of relations) {
      const found = await readMembers(appId, className, object.objectId, name, target, left)
      if (!found) return null
      left -= found.length
      members.set(name, found)
    }
    restorable.push({ object, members })
  }
  return restorable
}

/** Reads the member ids of a relation; null when there are more than the maximum. */
async function readMembers(
  appId: string,
  className: string,
  objectId: string,
  key: string,
  target: string,
  max: number,
): Promise<readonly string[] | null> {
  const body = {
    where: { $relatedTo: { object: pointerTo(className, objectId), key } },
    keys: 'objectId',
    limit: MAX_MEMBERS,
  }
  const page = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
    params: { appId, className: target },
    body,
  })
  if (page.next !== null || page.results.length > max) return null
  return page.results.map((member) => member.objectId)
}

/** Reads the current objects by their ids, at most a thousand. */
export async function readObjects(
  appId: string,
  className: string,
  ids: readonly string[],
): Promise<readonly DataObject[]> {
  const found: DataObject[] = []
  // Large objects are returned on several pages.
  for (let after: string | undefined; ; ) {
    const body = { where: { objectId: { $in: ids } }, limit: ids.length, after }
    const page = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
      params: { appId, className },
      body,
    })
    found.push(...page.results)
    if (page.next === null) return found
    after = page.next
  }
}

/**
 * Restores deleted objects with their ids, fields, ACLs, creation times and relation members. Existing ones, as after an
 * interrupted attempt, stay unchanged.
 */
export async function restore(
  appId: string,
  { className, fields }: ClassDescription,
  deleted: readonly Restorable[],
): Promise<void> {
  const ids = deleted.map(({ object }) => object.objectId)
  const there = new Set<string>()
  for (let n = 0; n < ids.length; n += AT_ONCE)
    for (const { objectId } of await readObjects(appId, className, ids.slice(n, n + AT_ONCE))) there.add(objectId)
  for (const { object, members } of deleted) {
    const { objectId, createdAt, updatedAt: _, ...values } = object
    if (there.has(objectId)) continue
    const relations = [...members].map(([name, related]) => {
      const objects = related.map((id) => pointerTo(ownMember(fields, name)?.className ?? '', id))
      return [name, { __op: 'AddRelation', objects }] as const
    })
    const stored = Object.entries(values).filter(([name]) => ownMember(fields, name)?.type !== 'Relation')
    const body = {
      objectId,
      createdAt,
      fields: Object.fromEntries([...stored, ...relations.filter(([name]) => members.get(name)!.length > 0)]),
    }
    await request('POST', '/admin/apps/{appId}/classes/{className}/restore', { params: { appId, className }, body })
  }
}
