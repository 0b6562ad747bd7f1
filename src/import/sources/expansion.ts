import { SourceFault } from './source-fault.ts'

/** Unpacked bytes from which on expansion is checked, and how many times the packed size they may be. */
const HARMLESS = 64 * 1024 * 1024
const MAX_TIMES = 300

/** @throws SourceFault for what expands so much that it must be meant to do harm */
export function checkExpansion(unpacked: number, packed: number): void {
  if (unpacked > HARMLESS && unpacked > packed * MAX_TIMES)
    throw new SourceFault(`it expands to more than ${MAX_TIMES} times its size, which no export does`)
}
