import type { Differences, PulledId, PulledPart, Removed } from '../../import/pulled.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { insisting } from '../import/send-batch.ts'
import type { PullTarget } from './part.ts'

/** Ids per query of the source, which are part of its URL. */
const PAGE_SIZE = 50
/** Maximum share of pulled objects that may be removed; more looks like a mistake. */
const FEW = 0.2

/**
 * Removes objects here that the last comparison did not find at the source, after checking that the source still does not return
 * them.
 * @param allowMany whether to remove any number of objects
 * @param find returns which of some ids the source has after all
 */
export async function removeDeleted(
  { management, appPath }: Pick<PullTarget, 'management' | 'appPath'>,
  part: PulledPart,
  allowMany: boolean,
  find: (ids: readonly PulledId[]) => Promise<readonly PulledId[]>,
): Promise<{ readonly removed: number; readonly kept: number; readonly refusal: Notice | null }> {
  const request = <Answer>(what: string, body: object) =>
    insisting(() => management.request('POST', `${appPath}/pulls/${what}`, { part, ...body })) as Promise<Answer>
  const { missing, known } = await request<Differences>('differences', {})
  if (missing > known * FEW && !allowMany)
    return {
      removed: 0,
      kept: 0,
      refusal: notice('tooManyDeletions', { missing, of: known }),
    }
  let [removed, kept] = [0, 0]
  for (;;) {
    const page = await request<{ readonly missing: readonly PulledId[] }>('missing', { most: PAGE_SIZE })
    if (page.missing.length === 0) return { removed, kept, refusal: null }
    const found = await find(page.missing)
    const gone = page.missing.filter((one) => !found.includes(one))
    const outcome = await request<Removed>('removals', { gone, found })
    removed += outcome.removed
    kept += outcome.kept.length
  }
}
