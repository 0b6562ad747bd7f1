import { createHash } from 'node:crypto'

/**
 * Whether an object belongs to the sample: decided by its id alone, so that every run and both sides choose the same.
 * @param share of all, from 0 to 1
 */
export function isSampled(id: string, share: number): boolean {
  if (share >= 1) return true
  return createHash('sha256').update(id).digest().readUInt32BE() < share * 2 ** 32
}
