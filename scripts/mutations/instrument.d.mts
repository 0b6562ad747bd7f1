import type { Mutant } from './mutants.mjs'

/** Builds the text of a module that contains all its mutants. */
export function instrument(source: string, mutants: readonly Mutant[], runtime: string): string
