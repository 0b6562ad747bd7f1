/** Milliseconds after which a request returns its progress. */
const TIMEOUT_MS = 3000

/** The progress of a removal that may need several requests. */
export interface Removal {
  /** Removed objects or members of relations. */
  readonly removed: number
  /** Where the next request continues; null when everything is removed. */
  readonly next: string | null
}

/** Removes a page, from an id on. @returns how many were removed, and the last id examined; null at the end */
type RemovePage = (after: string) => Promise<{ readonly removed: number; readonly last: string | null }>

/**
 * Removes as many pages as fit into a few seconds. Each page is committed separately: an interrupted removal can continue, and
 * the app stays online, whatever the number of objects.
 */
export async function removeInPages(after: string, page: RemovePage): Promise<Removal> {
  const end = performance.now() + TIMEOUT_MS
  let removed = 0
  let next: string | null = after
  while (next !== null && performance.now() < end) {
    const done = await page(next)
    removed += done.removed
    next = done.last
  }
  return { removed, next }
}
