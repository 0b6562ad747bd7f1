import type { MoveOptions } from './moving-in-queries.ts'

/** The options of an action as form values. */
export interface OptionValues extends Omit<MoveOptions, 'oldDomains' | 'rewriteFields' | 'dayRate' | 'parallel'> {
  /** Hosts, separated by commas or spaces. */
  readonly oldDomains?: string
  /** Fields, separated in the same way. */
  readonly rewriteFields?: string
  readonly dayRate?: number | null
  readonly parallel?: number | null
}

/** Returns the options of an action, without empty values. */
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
