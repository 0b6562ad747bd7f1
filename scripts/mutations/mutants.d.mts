export interface Mutant {
  readonly id: string
  readonly file: string
  readonly line: number
  readonly operator: string
  readonly original: string
  readonly mutant: string
}

/** Finds all mutants of a TypeScript file. */
export function findMutants(file: string, source: string): Mutant[]
