import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject } from '../../values/json.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** The result of a first query of a class: the number of its objects, and properties of a few of them. */
export interface ClassLookup {
  /** null when the source does not return a count */
  readonly total: number | null
  /** Mean bytes of the first objects; null when there are none. */
  readonly meanSize: number | null
  readonly hasObjects: boolean
  readonly showsAcl: boolean
}

const SAMPLE_SIZE = 10

export async function lookUpClass(source: SourceApp, className: string): Promise<ClassLookup> {
  try {
    const query = { count: 1, limit: SAMPLE_SIZE, returnACL: 'true' }
    const { count, results } = await source.object(`/1.1/classes/${className}`, query)
    const objects = Array.isArray(results) ? results.filter(isJsonObject) : []
    return {
      total: typeof count === 'number' ? count : null,
      meanSize: objects.length === 0 ? null : Buffer.byteLength(JSON.stringify(objects)) / objects.length,
      hasObjects: objects.length > 0,
      showsAcl: objects.some((object) => Object.hasOwn(object, 'ACL')),
    }
  } catch (error) {
    if (error instanceof SourceRefusal && error.status !== 401)
      return { total: null, meanSize: null, hasObjects: false, showsAcl: false }
    throw error
  }
}

/** Fails when the source hides ACLs, because objects without their ACLs would become public. */
export function checkAcls(lookups: readonly ClassLookup[]): void {
  if (lookups.some(({ showsAcl }) => showsAcl) || !lookups.some(({ hasObjects }) => hasObjects)) return
  throw new NoticedError(notice('sourceWithoutAcls'))
}
