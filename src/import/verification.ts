import type { Notice } from '../notices/notice.ts'
import type { Item, Kind, Notes } from './batch.ts'

/** Records of a source that are compared with what is here. Nothing is written. */
export interface VerifyBatch {
  readonly of: Kind
  /** The file that they stand in, for people. */
  readonly file: string
  readonly items: readonly Item[]
  /** Which part of the records is compared in all fields, from 0 to 1; of the others only whether they are here. */
  readonly share: number
  /** Where files were once, if texts with their URLs may be rewritten: one that is, is as it should be. */
  readonly formerPlaces?: readonly string[] | undefined
}

/**
 * How a record of the source is here: not at all, with other values, or it is none that could be here. What is to be thought
 * of it the reader of the source decides, who knows when the data came (`cli/verify/judge.ts`).
 */
export interface Finding {
  readonly what: 'missing' | 'different' | 'unreadable'
  /** The id for people, such as `5c7c…`, or `owner → member`; null where it has none. */
  readonly id: string | null
  /** File and line. */
  readonly place: string
  /** When it was made there, where it is missing; when it was changed there last, where it is different. ISO; null: not known. */
  readonly changedThere: string | null
  /** When it was changed here last; null: not known. */
  readonly changedHere: string | null
  readonly fields: readonly FieldDifference[]
  /** Why it could not be read. */
  readonly reason?: Notice
}

/** A field that is not the same. What it holds is told shortened, as JSON; null where it is a secret, or holds nothing. */
export interface FieldDifference {
  /** Its name; a notice for what is no field, such as the size of the bytes. */
  readonly field: string | Notice
  readonly there: string | null
  readonly here: string | null
}

/** What has come of a batch. Records without a finding are the same here. */
export interface VerifiedBatch {
  readonly findings: readonly Finding[]
  /** Of each record that could be read, by which it is found here (`keysHere`); none of those without an id. */
  readonly keys: readonly string[]
  /** Records that have no id, so that they cannot be found here. */
  readonly nameless: number
  /** Records of which all fields were compared. */
  readonly compared: number
  /** What could not be compared, and should be known. */
  readonly notes: Notes
}

/** What there is here, in the order of the keys. */
export interface KeyPage {
  readonly keys: readonly (readonly [key: string, since: string | null])[]
  /** Whether there are no more. */
  readonly isLast: boolean
}

/** Between the parts of a key: no part has one, and it sorts in front of everything else. */
export const KEY_SEPARATOR = '\u0000'

/** A key as people read it. */
export function shownKey(key: string): string {
  return key.split(KEY_SEPARATOR).join(' → ')
}
