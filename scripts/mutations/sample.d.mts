/** Selects random mutants, each at most once. */
export function sample<T extends { readonly operator: string }>(mutants: readonly T[], count: number, seed: number): T[]
