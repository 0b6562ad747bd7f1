import type { ApiError } from '../../errors.ts'
import type { Notice } from '../../notices/notice.ts'
import type { Finding } from '../verification.ts'

/** What a comparison has found of a record. */
export type Found = Omit<Finding, 'place' | 'reason'> & {
  /** What of it could not be compared, and should be known. */
  readonly notes?: readonly Notice[]
}

/** A record that is the same, of which something should be known. */
export interface Remark {
  readonly what: 'same'
  readonly notes: readonly Notice[]
}

/** How records of a kind are read and compared. */
export interface Comparison<Value> {
  /** As an import reads it. @throws ApiError */
  read(text: string): Value
  /** What has to be found out of all of them first; an error says why one could not be here. */
  prepare?(values: readonly Value[]): Promise<readonly (Value | ApiError)[]>
  /** By what it is found here; nothing where it has no id. */
  keysOf(value: Value): readonly string[]
  /** Whether all fields are compared. */
  isCompared(value: Value): boolean
  /** Looks all of them up, in a few statements. @returns of each what is not the same; null where nothing is to be told */
  compare(values: readonly Value[]): Promise<readonly (Found | Remark | null)[]>
}
