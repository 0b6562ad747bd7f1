import type { MoveOptions } from './moving-in-queries.ts'

/** The options of an action as they stand in the fields of a form. */
export interface OptionValues extends Omit<MoveOptions, 'oldDomains' | 'dayRate'> {
  /** Hosts, with commas or spaces between. */
  readonly oldDomains?: string
  readonly dayRate?: number | null
}

/** What an action is begun with: what was left empty is left away. */
export function optionsOf({ oldDomains, nightHours, dayRate, filesFrom, until, ...rest }: OptionValues): MoveOptions {
  const hours = nightHours?.trim() || undefined
  const places = oldDomains?.split(/[\s,]+/).filter((place) => place !== '') ?? []
  return {
    ...rest,
    oldDomains: places.length > 0 ? places : undefined,
    nightHours: hours,
    dayRate: hours === undefined ? undefined : (dayRate ?? undefined),
    filesFrom: filesFrom?.trim() || undefined,
    // The field has the time of the browser's zone.
    until: rest.follow && until ? new Date(until).toISOString() : undefined,
  }
}
