import { expect, it } from 'vitest'
import { CompiledPatterns } from './compiled-patterns.ts'

it('compiles an expression once', () => {
  const patterns = new CompiledPatterns()
  expect(patterns.get('a+', 2)).toBe(patterns.get('a+', 2))
})

it('evicts the least recently used expressions, by number and by size', () => {
  const patterns = new CompiledPatterns({ size: 3, parts: 100 })
  const first = patterns.get('a+', 10)
  for (const source of ['b+', 'c+', 'a+', 'd+']) patterns.get(source, 10)
  expect(patterns.size).toBe(3)
  expect(patterns.get('a+', 10)).toBe(first)
  patterns.get('e+', 95)
  expect(patterns.size).toBe(1)
  patterns.get('f+', 200)
  expect(patterns.size).toBe(1)
})

it('bounds the memory of an expression for texts', () => {
  const expression = new CompiledPatterns().get('[ab]*a[ab]{200}[xyz]', 400)
  const text = Array.from({ length: 3000 }, (_, n) => ((n * 7919) % 31 < 15 ? 'a' : 'b')).join('')
  expect(expression.test(text)).toBe(false)
  expect(expression.re2().dfa.memBudget).toBeLessThanOrEqual(128 * 1024)
  expect(expression.re2().dfa.stateCount).toBeLessThan(1000)
  expect(expression.test(`${text}a${'b'.repeat(200)}x`)).toBe(true)
})

it('counts an expression that is used repeatedly once', () => {
  const patterns = new CompiledPatterns({ size: 3, parts: 100 })
  patterns.get('a+', 40)
  for (let use = 0; use < 10; use++) patterns.get('b+', 40)
  expect(patterns.size).toBe(2)
})

it('does not count evicted expressions', () => {
  const patterns = new CompiledPatterns({ size: 3, parts: 100 })
  for (const letter of 'abcdefghijklmnopqrst') patterns.get(`${letter}+`, 10)
  expect(patterns.size).toBe(3)
})
