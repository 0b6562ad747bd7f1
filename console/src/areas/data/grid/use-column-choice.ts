import { useMemo, useState } from 'react'
import type { ClassDescription, Field } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'

export interface ColumnChoice {
  /** All fields of the class by name, including system fields. */
  readonly fields: ReadonlyMap<string, Field>
  /** All fields in column order. */
  readonly order: readonly string[]
  readonly hidden: ReadonlySet<string>
  /** Pixels */
  readonly widths: { readonly [field: string]: number }
  setHidden(field: string, isHidden: boolean): void
  /** Moves a field to the position of another one. */
  move(field: string, target: string): void
  setWidth(field: string, width: number): void
  reset(): void
}

interface Kept {
  readonly order?: readonly string[]
  readonly hidden?: readonly string[]
  readonly widths?: { readonly [field: string]: number }
}

const SYSTEM: readonly (readonly [string, Field])[] = [
  ['objectId', { type: 'String' }],
  ['createdAt', { type: 'Date' }],
  ['updatedAt', { type: 'Date' }],
  ['ACL', { type: 'ACL' }],
]

/** Fields of every object: only `ACL` can be changed. */
export const SYSTEM_FIELDS: ReadonlySet<string> = new Set(SYSTEM.map(([name]) => name))

/** Returns the visible columns of a class, their order and widths, stored in the browser. */
export function useColumnChoice({ className, fields }: ClassDescription): ColumnChoice {
  const { appId } = useApp()
  const storageKey = `homeport.columns.${appId}.${className}`
  const [kept, setKept] = useState<Kept>(() => readKept(storageKey))
  const all = useMemo(() => {
    const [id, ...times] = SYSTEM
    return new Map([id!, ...Object.entries(fields), ...times])
  }, [fields])
  const keep = (next: Kept) => {
    localStorage.setItem(storageKey, JSON.stringify(next))
    setKept(next)
  }
  const order = useMemo(() => {
    const known = (kept.order ?? []).filter((name) => all.has(name))
    if (known.length === 0) return [...all.keys()]
    // Fields added since are placed before the system fields, as in a class without a saved choice.
    const added = [...all.keys()].filter((name) => !known.includes(name))
    const end = known.indexOf('createdAt')
    return end < 0 ? [...known, ...added] : [...known.slice(0, end), ...added, ...known.slice(end)]
  }, [kept.order, all])
  const hidden = useMemo(() => new Set(kept.hidden), [kept.hidden])
  return {
    fields: all,
    order,
    hidden,
    widths: kept.widths ?? {},
    setHidden: (field, isHidden) =>
      keep({ ...kept, hidden: isHidden ? [...hidden, field] : [...hidden].filter((name) => name !== field) }),
    move: (field, target) => {
      const rest = order.filter((name) => name !== field)
      const at = rest.indexOf(target) + (order.indexOf(field) < order.indexOf(target) ? 1 : 0)
      keep({ ...kept, order: [...rest.slice(0, at), field, ...rest.slice(at)] })
    },
    setWidth: (field, width) => keep({ ...kept, widths: { ...kept.widths, [field]: width } }),
    reset: () => keep({}),
  }
}

function readKept(storageKey: string): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Kept
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}
