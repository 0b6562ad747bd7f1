import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/** A condition as class queries take it. */
export type Condition = { readonly [key: string]: unknown }

/** What of a class is shown: all of it stands in the URL. */
export interface DataSearch {
  readonly where?: Condition
  /** A field, with a minus for the greatest first */
  readonly order?: string
  /** The object that is open beside: `Class/id` */
  readonly open?: string
}

/** Newest first: ids grow with time. */
export const DEFAULT_ORDER = '-objectId'

/** Reads what a URL asks to be shown. What is no condition is left out. */
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
  /** The object that is open beside */
  readonly open: { readonly className: string; readonly objectId: string } | null
  /** Shows something else; what is undefined in it goes out of the URL. */
  show(change: DataSearch): void
}

/** What of the class in the URL is shown. To be used below the route of a class. */
export function useShownData(): ShownData {
  const { className } = useParams({ strict: false }) as { className: string }
  const search = useSearch({ strict: false }) as DataSearch
  const navigate = useNavigate()
  const text = JSON.stringify(search.where)
  // The router makes a new condition of the same text at each step.
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
