import type { ClassDescription } from '../../../api/classes.ts'
import { path, request } from '../../../api/request.ts'
import { isBuiltIn } from '../classes/class-list.tsx'
import type { DataObject, RowPage } from '../data-queries.ts'

/** Whether objects of a class can be made again after they were deleted: members of relations would not come back. */
export function canBeRestored({ className, fields }: ClassDescription): boolean {
  return !isBuiltIn(className) && Object.values(fields).every(({ type }) => type !== 'Relation')
}

/** Objects as they are now, by their ids, of which there may be a thousand. */
export async function readObjects(
  appId: string,
  className: string,
  ids: readonly string[],
): Promise<readonly DataObject[]> {
  const found: DataObject[] = []
  // Large objects come on several pages.
  for (let after: string | undefined; ; ) {
    const body = { where: { objectId: { $in: ids } }, limit: ids.length, after }
    const page = await request<RowPage>('POST', path`/admin/apps/${appId}/classes/${className}/find`, { body })
    found.push(...page.results)
    if (page.next === null) return found
    after = page.next
  }
}

/** Makes an object again that was deleted, under its own id and with its time of creation. */
export function restore(appId: string, className: string, object: DataObject): Promise<unknown> {
  const { objectId, createdAt, updatedAt: _, ...fields } = object
  return request('POST', path`/admin/apps/${appId}/classes/${className}/restore`, {
    body: { objectId, createdAt, fields },
  })
}
