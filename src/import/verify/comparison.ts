import type { ApiError } from '../../errors.ts'
import type { Notice } from '../../notices/notice.ts'
import type { Finding } from '../verification.ts'

/** A difference of a record. */
export type Found = Omit<Finding, 'place' | 'reason'> & {
  /** Remarks about values that could not be compared. */
  readonly notes?: readonly Notice[]
}

/** Remarks about a record that is equal. */
export interface Remark {
  readonly what: 'same'
  readonly notes: readonly Notice[]
}

/** Reads and compares records of a kind. */
export interface Comparison<Value> {
  /** Parses a record as an import does. @throws ApiError */
  read(text: string): Value
  /** Looks up data that the comparison of all values needs. An error tells why a record cannot exist here. */
  prepare?(values: readonly Value[]): Promise<readonly (Value | ApiError)[]>
  /** The keys that identify the record here; empty when it has no id. */
  keysOf(value: Value): readonly string[]
  /** Whether all fields are compared. */
  isCompared(value: Value): boolean
  /** Compares all values in a few statements. @returns for each value its difference or remark; null when it is equal */
  compare(values: readonly Value[]): Promise<readonly (Found | Remark | null)[]>
}
