import { createHash } from 'node:crypto'

/**
 * Returns whether an object belongs to the sample. Only its id decides, so each run and both sides select the same objects.
 * @param share of all objects, from 0 to 1
 */
export function isSampled(id: string, share: number): boolean {
  if (share >= 1) return true
  return createHash('sha256').update(id).digest().readUInt32BE() < share * 2 ** 32
}
