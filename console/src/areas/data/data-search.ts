import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/** A condition as accepted by class queries. */
export type Condition = { readonly [key: string]: unknown }

/** The view of a class, stored completely in the URL. */
export interface DataSearch {
  readonly where?: Condition
  /** A field, with a minus for descending order */
  readonly order?: string
  /** The object open in the drawer: `Class/id` */
  readonly open?: string
}

/** Newest first: ids grow with time. */
export const DEFAULT_ORDER = '-objectId'

/** Parses the search parameters of a URL. Invalid conditions are ignored. */
export function readDataSearch({ where, order, open }: Record<string, unknown>): DataSearch {
  return {
    ...(isCondition(where) && Object.keys(where).length > 0 ? { where } : {}),
    ...(typeof order === 'string' && order !== '' && order !== DEFAULT_ORDER ? { order } : {}),
    ...(typeof open === 'string' && open !== '' ? { open } : {}),
  }
}

export function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface ShownData {
  readonly className: string
  readonly where: Condition | undefined
  readonly order: string
  /** The object open in the drawer */
  readonly open: { readonly className: string; readonly objectId: string } | null
  /** Changes the view; undefined members are removed from the URL. */
  show(change: DataSearch): void
}

/** Returns the view of the class in the URL. Must be used below the route of a class. */
export function useShownData(): ShownData {
  const { className } = useParams({ strict: false }) as { className: string }
  const search = useSearch({ strict: false }) as DataSearch
  const navigate = useNavigate()
  const text = JSON.stringify(search.where)
  // The router creates a new condition from the same text at each navigation.
  const where = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as Condition)), [text])
  const show = useCallback(
    (change: DataSearch) =>
      void navigate({
        to: '.',
        search: (now: Record<string, unknown>) => readDataSearch({ ...now, ...change }),
        replace: change.open === undefined,
      } as Parameters<typeof navigate>[0]),
    [navigate],
  )
  return { className, where, order: search.order ?? DEFAULT_ORDER, open: readOpen(search.open), show }
}

function readOpen(open: string | undefined): ShownData['open'] {
  const [, className, objectId] = /^([^/]+)\/(.+)$/.exec(open ?? '') ?? []
  return className !== undefined && objectId !== undefined ? { className, objectId } : null
}
