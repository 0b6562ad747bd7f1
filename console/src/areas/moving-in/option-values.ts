import type { MoveOptions } from './moving-in-queries.ts'

/** The options of an action as they stand in the fields of a form. */
export interface OptionValues extends Omit<MoveOptions, 'oldDomains' | 'rewriteFields' | 'dayRate' | 'parallel'> {
  /** Hosts, with commas or spaces between. */
  readonly oldDomains?: string
  /** Fields, in the same way. */
  readonly rewriteFields?: string
  readonly dayRate?: number | null
  readonly parallel?: number | null
}

/** What an action is begun with: what was left empty is left away. */
export function optionsOf(values: OptionValues): MoveOptions {
  const { oldDomains, rewriteFields, nightHours, dayRate, parallel, filesFrom, until, ...rest } = values
  const hours = nightHours?.trim() || undefined
  return {
    ...rest,
    oldDomains: listOf(oldDomains),
    rewriteFields: rest.rewriteUrls ? listOf(rewriteFields) : undefined,
    parallel: parallel ?? undefined,
    nightHours: hours,
    dayRate: hours === undefined ? undefined : (dayRate ?? undefined),
    filesFrom: filesFrom?.trim() || undefined,
    until: rest.follow && until ? until : undefined,
  }
}

function listOf(text: string | undefined): string[] | undefined {
  const items = text?.split(/[\s,]+/).filter((item) => item !== '') ?? []
  return items.length > 0 ? items : undefined
}
