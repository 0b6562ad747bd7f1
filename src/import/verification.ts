import type { Notice } from '../notices/notice.ts'
import type { Item, Kind, Notes } from './batch.ts'

/** Records of a source that are compared with the app. Nothing is written. */
export interface VerifyBatch {
  readonly of: Kind
  /** The name of their file, for people. */
  readonly file: string
  readonly items: readonly Item[]
  /** Share of the records whose fields are all compared, from 0 to 1. For the others, only their existence is checked. */
  readonly share: number
  /** Hosts that served files, if URLs in texts may have been rewritten. A rewritten URL counts as equal. */
  readonly formerPlaces?: readonly string[] | undefined
}

/**
 * The difference between a record of the source and the app: it is missing, differs, or is invalid. The command that reads the
 * source judges it, because it knows when the data was exported (`cli/verify/meaning.ts`).
 */
export interface Finding {
  readonly what: 'missing' | 'different' | 'unreadable'
  /** The id for people, such as `5c7c…`, or `owner → member`; null when the record has none. */
  readonly id: string | null
  /** File and line. */
  readonly place: string
  /**
   * For a missing record, when it was created at the source; for a different one, when it was last changed there. ISO; null:
   * unknown.
   */
  readonly changedThere: string | null
  /** When it was last changed here; null: unknown. */
  readonly changedHere: string | null
  readonly fields: readonly FieldDifference[]
  /** Why the record could not be read. */
  readonly reason?: Notice
}

/** A field that differs. Values are truncated JSON; null when the value is secret or absent. */
export interface FieldDifference {
  /** The name of the field; a notice for anything else that was compared, such as the size of the bytes. */
  readonly field: string | Notice
  readonly there: string | null
  readonly here: string | null
}

/** The result of a batch. Records without a finding are equal here. */
export interface VerifiedBatch {
  readonly findings: readonly Finding[]
  /** The keys of all readable records that have an id, which identify them here (`keysHere`). */
  readonly keys: readonly string[]
  /** Number of records without an id, which cannot be found here. */
  readonly nameless: number
  /** Number of records whose fields were all compared. */
  readonly compared: number
  /** Remarks about values that could not be compared. */
  readonly notes: Notes
}

/** A page of the records in the app, in the order of their keys. */
export interface KeyPage {
  readonly keys: readonly (readonly [key: string, since: string | null])[]
  /** Whether this is the last page. */
  readonly isLast: boolean
}

/** Separates the parts of a key. No part contains it, and it sorts before all other characters. */
export const KEY_SEPARATOR = '\u0000'

/** Returns a key for display. */
export function shownKey(key: string): string {
  return key.split(KEY_SEPARATOR).join(' → ')
}
