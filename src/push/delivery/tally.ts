import type { Channel } from '../providers/all.ts'

/** What became of some devices of a push. */
export interface Tally {
  /** Devices that were chosen. */
  readonly devices: number
  /** How many were handed to each channel. */
  readonly accepted: { readonly [channel in Channel]?: number }
  /** How many tokens APNs declared dead. */
  readonly invalid: number
  /** How many devices each reason kept from it. */
  readonly errors: { readonly [reason: string]: number }
}

export const EMPTY_TALLY: Tally = { devices: 0, accepted: {}, invalid: 0, errors: {} }

/** So many different reasons are kept; all others count under one name. */
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

/** Counts added up by their names. */
export function sum<Counts extends { readonly [name: string]: number }>(counts: Counts, more: Counts): Counts {
  const total: Record<string, number> = { ...counts }
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count
  return total as Counts
}

export function sumReasons(counts: Tally['errors'], more: Tally['errors']): Tally['errors'] {
  return Object.entries(more).reduce((all, [reason, count]) => withReason(all, reason, count), counts)
}

/** Takes failures back that do not count any more. */
export function withoutReason(errors: Tally['errors'], reason: string, count: number): Tally['errors'] {
  const short = reason.slice(0, MAX_REASON_LENGTH)
  const name = short in errors ? short : OTHER_REASONS
  const { [name]: known = 0, ...rest } = errors
  return known > count ? { ...rest, [name]: known - count } : rest
}

/** A tally that was stored. */
export function tallyFrom(json: string): Tally {
  return { ...EMPTY_TALLY, ...(JSON.parse(json) as Partial<Tally>) }
}

/** Counts that were stored. */
export function countsFrom(json: string): { readonly [name: string]: number } {
  return JSON.parse(json) as { [name: string]: number }
}

function withReason(errors: Tally['errors'], reason: string, count: number): Tally['errors'] {
  const short = reason.slice(0, MAX_REASON_LENGTH)
  const name = short in errors || Object.keys(errors).length < MAX_REASONS ? short : OTHER_REASONS
  return sum(errors, { [name]: count })
}
