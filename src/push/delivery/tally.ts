import type { Channel } from '../providers/all.ts'

/** The outcomes of some devices of a push. */
export interface Tally {
  /** Selected devices. */
  readonly devices: number
  /** Devices accepted by each channel. */
  readonly accepted: { readonly [channel in Channel]?: number }
  /** Tokens that APNs declared invalid. */
  readonly invalid: number
  /** Failed devices by reason. */
  readonly errors: { readonly [reason: string]: number }
}

export const EMPTY_TALLY: Tally = { devices: 0, accepted: {}, invalid: 0, errors: {} }

/** Maximum number of distinct reasons. Further ones are counted as `OTHER_REASONS`. */
const MAX_REASONS = 20
const OTHER_REASONS = 'other reasons'
export const MAX_REASON_LENGTH = 200

export function accept(tally: Tally, channel: Channel, count: number): Tally {
  return { ...tally, accepted: sum(tally.accepted, { [channel]: count }) }
}

export function fail(tally: Tally, reason: string, count = 1): Tally {
  return { ...tally, errors: withReason(tally.errors, reason, count) }
}

export function withInvalid(tally: Tally, count: number): Tally {
  return { ...tally, invalid: tally.invalid + count }
}

/** Adds counts by name. */
export function sum<Counts extends { readonly [name: string]: number }>(counts: Counts, more: Counts): Counts {
  const total: Record<string, number> = { ...counts }
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count
  return total as Counts
}

export function sumReasons(counts: Tally['errors'], more: Tally['errors']): Tally['errors'] {
  return Object.entries(more).reduce((all, [reason, count]) => withReason(all, reason, count), counts)
}

/** Subtracts failures that are retried. */
export function withoutReason(errors: Tally['errors'], reason: string, count: number): Tally['errors'] {
  const short = reason.slice(0, MAX_REASON_LENGTH)
  const name = short in errors ? short : OTHER_REASONS
  const { [name]: known = 0, ...rest } = errors
  return known > count ? { ...rest, [name]: known - count } : rest
}

/** Parses a stored tally. */
export function tallyFrom(json: string): Tally {
  return { ...EMPTY_TALLY, ...(JSON.parse(json) as Partial<Tally>) }
}

/** Parses stored counts. */
export function countsFrom(json: string): { readonly [name: string]: number } {
  return JSON.parse(json) as { [name: string]: number }
}

function withReason(errors: Tally['errors'], reason: string, count: number): Tally['errors'] {
  const short = reason.slice(0, MAX_REASON_LENGTH)
  const name = short in errors || Object.keys(errors).length < MAX_REASONS ? short : OTHER_REASONS
  return sum(errors, { [name]: count })
}
