/** Milliseconds after which a request answers how far it came. */
const PATIENCE = 3000

/** What a request has done of a work that may take many. */
export interface Removal {
  /** Objects or members of relations */
  readonly removed: number
  /** Where the next request goes on; null when all is done */
  readonly next: string | null
}

/** A page of the work, from an id on. @returns how many were removed, and the last id that was looked at; null at the end */
type RemovePage = (after: string) => Promise<{ readonly removed: number; readonly last: string | null }>

/**
 * Does as many pages as fit into a few seconds. Each is committed by itself: what is stopped goes on where it was, and the
 * app goes on meanwhile, whatever the number of objects.
 */
export async function removeInPages(after: string, page: RemovePage): Promise<Removal> {
  const end = performance.now() + PATIENCE
  let removed = 0
  let next: string | null = after
  while (next !== null && performance.now() < end) {
    const done = await page(next)
    removed += done.removed
    next = done.last
  }
  return { removed, next }
}
