import type { Notice } from '../../notices/notice.ts'
import type { RecordForm } from './form.ts'

/** A record of a file, in the form in which batches take it (`import/batch.ts`, Item). */
export interface ImportRecord {
  /** Line, document or row, from 1. */
  readonly at: number
  readonly text: string
  readonly notes?: readonly Notice[] | undefined
  /** Why it cannot be taken. */
  readonly reason?: Notice | undefined
  /** Where the records of a file belong to several classes: the class of this one, and its field. */
  readonly of?: { readonly className: string; readonly field: string | null } | undefined
  /** Where it is of another form than the file begins with; null for what is no record of any known form. */
  readonly form?: RecordForm | null | undefined
  /** It is the header of a class that may have no objects, and no record. */
  readonly isHeader?: boolean | undefined
  /** Lines that are not read because of what it says. */
  readonly skipped?: number | undefined
}

/** Bytes that a record may have: as many as an object, with some room for how it is written. */
export const MAX_RECORD = 17 * 1024 * 1024

/** Bytes of a file of which records are made at once: the records of a piece of empty lines take a hundred times its size. */
export const PIECE = 256 * 1024

/** Characters that are kept of a record that is too long or no text, to tell what it was. */
export const SHOWN = 2000
