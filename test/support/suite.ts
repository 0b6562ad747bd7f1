/**
 * Which tests run. `npm test` runs the default suite: every rule once. `npm run test:full` runs all of it: test files
 * named `*.full.test.ts`, and in other files the variants for which these functions are asked.
 */
export const isFullSuite = process.env.HOMEPORT_TEST_SUITE === 'full'

/** Returns all variants of a case in the full suite, and only the first of them in the default suite. */
export function variants<T>(all: readonly [T, ...T[]]): readonly T[] {
  return isFullSuite ? all : all.slice(0, 1)
}
