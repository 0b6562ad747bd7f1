import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type DataObject, PAGE_SIZE, rowPageQuery } from '../data-queries.ts'
import type { Condition } from '../data-search.ts'

/** A row of the grid; without an object while its page is not there. */
export interface GridRow {
  readonly key: string
  readonly object: DataObject | null
}

export interface RowWindow {
  readonly rows: readonly GridRow[]
  readonly isLoading: boolean
  readonly error: Error | null
  /** Says which rows are on the screen: their pages and the next ones are loaded, those far away are given up. */
  look(first: number, last: number): void
  retry(): void
}

/** So many pages on both sides of the screen are kept. */
const KEPT = 10

/**
 * The rows that meet a condition, as far as they are known: a page tells where the next one begins, so that each costs
 * the same however far away it is. Only pages near the screen are in memory.
 */
export function useRowWindow(appId: string, className: string, where: Condition | undefined, order: string): RowWindow {
  const queries = useQueryClient()
  const [starts, setStarts] = useState<readonly (string | null)[]>([null])
  const [[first, last], setSeen] = useState<readonly [number, number]>([0, 0])
  const from = Math.max(0, Math.min(first, starts.length - 1) - 1)
  const to = Math.min(starts.length - 1, last + 1)
  const pageQuery = (page: number) => rowPageQuery(appId, className, where, order, starts[page]!)
  const wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const pages = useQueries({ queries: wanted.map(pageQuery) })
  const lengths = useRef<number[]>([])
  const held = useRef(new Set<number>())
  const isNear = (page: number) => page >= from - KEPT && page <= to + KEPT

  useEffect(() => {
    const known = [...starts]
    for (const [index, { data }] of pages.entries()) {
      if (!data) continue
      const next = from + index + 1
      if (data.next === null) known.length = Math.min(known.length, next)
      else if (next <= known.length && known[next] !== data.next) known[next] = data.next
    }
    if (known.length !== starts.length || known.some((start, page) => start !== starts[page])) setStarts(known)
  }, [pages, starts, from])

  // What is far from the screen is given up at once: who scrolls fast would fill the memory before it is old.
  const key = `${from} ${to}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the window has moved when its ends have
  useEffect(() => {
    for (const page of wanted) held.current.add(page)
    for (const page of held.current) {
      if (isNear(page)) continue
      held.current.delete(page)
      queries.removeQueries({ queryKey: pageQuery(page).queryKey, exact: true })
    }
  }, [key])

  const rows: GridRow[] = []
  const seen = new Set<string>()
  for (const page of starts.keys()) {
    const asked = page >= from && page <= to ? pages[page - from]?.data : undefined
    const objects = (asked ?? (isNear(page) ? queries.getQueryData(pageQuery(page).queryKey) : undefined))?.results
    if (objects) lengths.current[page] = objects.length
    // Nothing comes in place of a page that failed until it is tried again.
    if (!objects && page >= from && page <= to && pages[page - from]?.error) break
    if (!objects) {
      const end = rows.length + (lengths.current[page] ?? PAGE_SIZE)
      while (rows.length < end) rows.push(PLACEHOLDERS[rows.length % PLACEHOLDERS.length]!)
      continue
    }
    for (const object of objects) {
      // An object whose place in the order has changed may be on two pages for a moment.
      if (seen.has(object.objectId)) continue
      seen.add(object.objectId)
      rows.push(rowOf(object))
    }
  }
  const look = useCallback((firstRow: number, lastRow: number) => {
    const pageOf = (row: number) => {
      let page = 0
      for (let end = lengths.current[0] ?? PAGE_SIZE; end <= row; end += lengths.current[page] ?? PAGE_SIZE) page++
      return page
    }
    const [firstPage, lastPage] = [pageOf(firstRow), pageOf(lastRow)]
    setSeen((now) => (now[0] === firstPage && now[1] === lastPage ? now : [firstPage, lastPage]))
  }, [])
  const failed = pages.find(({ error }) => error)
  return {
    rows,
    isLoading: pages[0]?.isPending ?? false,
    error: failed?.error ?? null,
    look,
    retry: () => void failed?.refetch(),
  }
}

const rowsOfObjects = new WeakMap<DataObject, GridRow>()

/** The row of an object: the same one as long as the object is, so that it is not drawn anew. */
function rowOf(object: DataObject): GridRow {
  const known = rowsOfObjects.get(object)
  if (known) return known
  const row = { key: object.objectId, object }
  rowsOfObjects.set(object, row)
  return row
}

/** Stand for rows that are not here. More of them than a screen has rows, so that no two of a screen are the same. */
const PLACEHOLDERS: readonly GridRow[] = Array.from({ length: 1000 }, (_, n) => ({
  key: `placeholder ${n}`,
  object: null,
}))
