import { transformSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { instrument } from '../../scripts/mutations/instrument.mjs'
import { findMutants, type Mutant } from '../../scripts/mutations/mutants.mjs'
import { sample } from '../../scripts/mutations/sample.mjs'

/** Returns the mutants of a text as `operator: original → mutant`. */
const mutantsOf = (source: string) =>
  findMutants('sample.ts', source).map(({ operator, original, mutant }) => `${operator}: ${original} → ${mutant}`)

describe('the mutants of', () => {
  it.each<[string, string, string[]]>([
    [
      'a comparison',
      'use(a < b)',
      ['call removed: use(a < b) → (removed)', 'boundary: a < b → a <= b', 'negation: a < b → a >= b'],
    ],
    [
      'an if statement',
      'if (a === b) throw c',
      ['condition: if (a === b) → if (true)', 'condition: if (a === b) → if (false)'],
    ],
    ['a conditional expression', 'x = a ? b : c', ['condition: a ? … → !(a) ? …']],
    ['logical operators', 'x = a && (b ?? c)', ['logical: a && (b ?? c) → a || (b ?? c)', 'fallback: b ?? c → b']],
    ['numbers and booleans', 'x = [7, true]', ['number: 7 → 8', 'boolean: true → false']],
    [
      'operands in parentheses',
      'x = (a ?? b) - (c)',
      ['arithmetic: (a ?? b) - (c) → (a ?? b) + (c)', 'fallback: a ?? b → a'],
    ],
    ['texts that are joined', "x = 'a' + b", []],
    [
      'lists',
      'x = a.filter(f).some(g)',
      ['some/every: a.filter(f).some(g) → a.filter(f).every(g)', 'filter removed: a.filter(f) → a'],
    ],
    ['an awaited call', 'await save(a)', ['call removed: await save(a) → (removed)']],
    ['a function with a boolean result', 'const f = (): boolean => g()', ['return value: return g() → !(g())']],
    [
      'a function whose result may be missing',
      'async function f(): Promise<A | null> { return a }',
      ['return value: return a → return null'],
    ],
  ])('%s', (_name, source, expected) => {
    expect(mutantsOf(source).sort()).toEqual(expected.sort())
  })

  it.each<[string, string, string[]]>([
    [
      'conditions',
      'SELECT 1 WHERE a < 2 AND b IS NULL',
      [
        'SELECT 1 WHERE a <= 2 AND b IS NULL',
        'SELECT 1 WHERE a < 2 OR b IS NULL',
        'SELECT 1 WHERE a < 2 AND b IS NOT NULL',
      ],
    ],
    ['an order', 'ORDER BY a DESC', ['ORDER BY a ASC']],
    ['a missing row', 'WHERE NOT EXISTS (SELECT)', ['WHERE EXISTS (SELECT)']],
    ['BETWEEN', 'WHERE a BETWEEN 1 AND 2 AND b', ['WHERE a BETWEEN 1 AND 2 OR b']],
    ['operators of JSON and DDL', "CREATE OR REPLACE TABLE IF NOT EXISTS a -> 'b' <> '<@' || c @> d", []],
  ])('SQL: %s', (_name, text, expected) => {
    const found = findMutants('sample.ts', `x = sql\`${text}\``).map(({ mutant }) => mutant)
    expect(found).toEqual(expected.map((mutant) => `sql\`${mutant}\``))
  })

  it.each([
    ['imports and types', "import a from 'b' with { c: 'd' }\ntype E = 1 | true\nlet f: 2"],
    ['log calls', "this.#log.warn({ a: 1, b: c && d }, 'text')"],
    ['durations', 'const LOCK_TIMEOUT_MS = 5_000'],
  ])('none: %s', (_name, source) => {
    expect(mutantsOf(source)).toEqual([])
  })
})

describe('an instrumented module', () => {
  const SOURCE = `
    const log = []
    const list = [1, 2, 3]
    log.push('a')
    list.filter((one) => one < 3).forEach((one) => log.push(one))
    if (list.length > 2) log.push('many')
    else log.push('few')
    result = log.join(' ')`

  /** Runs the module with one active mutant, or none. */
  function run(mutants: readonly Mutant[], active: string): unknown {
    const module = instrument(SOURCE, mutants, 'runtime').replace(/^import .*?; /, '')
    const { code } = transformSync(module, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      isModule: false,
    })
    const isActive = (id: string) => id === active
    return new Function('__isActiveMutant', `let result\n${code}\nreturn result`)(isActive)
  }

  it('behaves as the source without an active mutant, and as the mutant with one', () => {
    const mutants = findMutants('sample.ts', SOURCE)
    expect(run(mutants, '')).toBe('a 1 2 many')
    const results = Object.fromEntries(
      mutants.map(({ id, original, mutant }) => [`${original} → ${mutant}`, run(mutants, id)]),
    )
    expect(results).toMatchObject({
      "log.push('a') → (removed)": '1 2 many',
      'list.filter((one) => one < 3) → list': 'a 1 2 3 many',
      'one < 3 → one <= 3': 'a 1 2 3 many',
      'one < 3 → one >= 3': 'a 3 many',
      'if (list.length > 2) → if (false)': 'a 1 2 few',
      "log.push('many') → (removed)": 'a 1 2',
    })
  })

  it('keeps the line numbers', () => {
    const mutants = findMutants('sample.ts', SOURCE)
    expect(instrument(SOURCE, mutants, 'runtime').split('\n')).toHaveLength(SOURCE.split('\n').length)
  })
})

describe('a sample', () => {
  const mutants = Array.from({ length: 100 }, (_, index) => ({ index, operator: index < 10 ? 'sql' : 'number' }))

  it('is the same for the same seed', () => {
    expect(sample(mutants, 20, 1)).toEqual(sample(mutants, 20, 1))
    expect(sample(mutants, 20, 1)).not.toEqual(sample(mutants, 20, 2))
  })

  it('contains each mutant at most once', () => {
    const chosen = sample(mutants, 200, 1)
    expect(new Set(chosen)).toEqual(new Set(mutants))
    expect(chosen).toHaveLength(mutants.length)
  })

  it('prefers SQL', () => {
    expect(sample(mutants, 20, 1).filter(({ operator }) => operator === 'sql').length).toBeGreaterThan(4)
  })
})
