import { isMissingTable } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { ApiError } from '../../errors.ts'
import type { ObjectStore } from '../store.ts'

/** A field has another type: a class that was made anew may have given it another one. */
const INCORRECT_TYPE = 111

/**
 * Does a write, and once more when the class that it was prepared for turns out to have been deleted by another node, or
 * made anew: nothing of it was done, or the database has undone it. The second time the class is what it is by then, or
 * unknown.
 * @param transaction of which the write is a part: then it is left to whoever has opened it
 */
export function withCurrentClasses<Result>(
  store: ObjectStore,
  work: () => Promise<Result>,
  transaction?: Executor,
): Promise<Result> {
  const { version } = store.classes
  return work().catch(async (error: unknown) => {
    if (transaction || !(await wasOutdated(store, version, error))) throw error
    return work()
  })
}

/** Whether an error tells that nothing was done, perhaps because this node knows what is true no more. */
export function looksOutdated(error: unknown): boolean {
  return isMissingTable(error) || (error instanceof ApiError && error.code === INCORRECT_TYPE)
}

/**
 * Whether an error may have come of what this node knew of a class; it knows the class of today then.
 * @param version what it knew (`ClassRegistry.version`)
 */
export async function wasOutdated(store: ObjectStore, version: number, error: unknown): Promise<boolean> {
  if (!looksOutdated(error)) return false
  if (isMissingTable(error)) {
    await store.classes.refresh()
    return true
  }
  await store.classes.refreshIfChanged()
  return store.classes.version !== version
}
