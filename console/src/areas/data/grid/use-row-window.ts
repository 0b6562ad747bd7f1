import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type DataObject, PAGE_SIZE, rowPageQuery } from '../data-queries.ts'
import type { Condition } from '../data-search.ts'

/** A row of the grid; without an object until its page is loaded. */
export interface GridRow {
  readonly key: string
  readonly object: DataObject | null
}

export interface RowWindow {
  readonly rows: readonly GridRow[]
  readonly isLoading: boolean
  readonly error: Error | null
  /** Reports the visible rows: their pages and the next ones are loaded, distant ones are dropped. */
  look(first: number, last: number): void
  retry(): void
}

/** The number of pages kept on both sides of the screen. */
const KEPT = 10

/**
 * Returns the rows that meet a condition, as far as known: each page contains the position of the next one, so that all cost the
 * same. Only pages near the screen are kept in memory.
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

  // Distant pages are dropped immediately: fast scrolling would fill the memory before they expire.
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
    const loaded = page >= from && page <= to ? pages[page - from]?.data : undefined
    const objects = (loaded ?? (isNear(page) ? queries.getQueryData(pageQuery(page).queryKey) : undefined))?.results
    if (objects) lengths.current[page] = objects.length
    // A failed page is not requested again until retried.
    if (!objects && page >= from && page <= to && pages[page - from]?.error) break
    if (!objects) {
      const end = rows.length + (lengths.current[page] ?? PAGE_SIZE)
      while (rows.length < end) rows.push(PLACEHOLDERS[rows.length % PLACEHOLDERS.length]!)
      continue
    }
    for (const object of objects) {
      // An object whose sort position has changed can be on two pages temporarily.
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

/** Returns the row of an object, identical as long as the object is, so that it is not rendered again. */
function rowOf(object: DataObject): GridRow {
  const known = rowsOfObjects.get(object)
  if (known) return known
  const row = { key: object.objectId, object }
  rowsOfObjects.set(object, row)
  return row
}

/** Placeholders of rows that are not loaded. More than fit on a screen, so that those of a screen are distinct. */
const PLACEHOLDERS: readonly GridRow[] = Array.from({ length: 1000 }, (_, n) => ({
  key: `placeholder ${n}`,
  object: null,
}))
