import type { Notice } from '../../notices/notice.ts'
import type { RecordForm } from './form.ts'

/** A record of a file, in the form of batches (`import/batch.ts`, Item). */
export interface ImportRecord {
  /** Line, document or row, from 1. */
  readonly at: number
  readonly text: string
  readonly notes?: readonly Notice[] | undefined
  /** Why it is rejected. */
  readonly reason?: Notice | undefined
  /** The class and relation field of this record, in files whose records belong to several classes. */
  readonly of?: { readonly className: string; readonly field: string | null } | undefined
  /** The form of this record if it differs from the form of the file; null if it has no known form. */
  readonly form?: RecordForm | null | undefined
  /** Whether it is the header of a class that may have no objects, rather than a record. */
  readonly isHeader?: boolean | undefined
  /** Number of lines that are skipped because of this header. */
  readonly skipped?: number | undefined
}

/** Maximum bytes of a record: the maximum of an object, and some overhead for its notation. */
export const MAX_RECORD = 17 * 1024 * 1024

/** Bytes of a file that are parsed into records at once. Records of empty lines take a hundred times the size of the file. */
export const PIECE = 256 * 1024

/** Characters that are kept of a record that is too long or not text, to identify it. */
export const SHOWN = 2000
