import { expect, test } from 'vitest'
import { type Part, partsOf } from './parts.ts'
import { BEGINNING, parsePosition } from './position.ts'
import type { Section } from './section.ts'

/** Creates a section of lines `a1`, `a2`, …, which are also their keys. */
function section(name: string, count: number, optional = false): Section {
  const keys = Array.from({ length: count }, (_, index) => `${name}${index + 1}`)
  return {
    name,
    optional,
    comment: { type: name },
    fileOf: (part) => `${name}.${part}.jsonl`,
    async *records(after) {
      for (const key of keys) if (!after || key > after[0]!) yield { text: `${key}\n`, last: [key] }
    },
  }
}

async function all(sections: readonly Section[], from = BEGINNING): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of partsOf(sections, from, 6)) parts.push(part)
  return parts
}

const shown = (parts: readonly Part[]) =>
  parts.map(({ name, content }) => [name, content.toString().split('\n').slice(1, -1)])

test('cuts records into parts after a number of bytes, in the order of the section names', async () => {
  expect(shown(await all([section('b', 1), section('a', 5)]))).toEqual([
    ['a.0.jsonl', ['a1', 'a2']],
    ['a.1.jsonl', ['a3', 'a4']],
    ['a.2.jsonl', ['a5']],
    ['b.0.jsonl', ['b1']],
  ])
})

test('creates one file with its first line for a section without records, unless it is optional', async () => {
  expect(shown(await all([section('a', 0), section('b', 0, true)]))).toEqual([['a.0.jsonl', []]])
})

test('resumes after any part with exactly the missing parts', async () => {
  const sections = [section('a', 5), section('b', 0), section('c', 4)]
  const whole = await all(sections)
  for (const [index, { next }] of whole.entries())
    expect(shown(await all(sections, parsePosition(JSON.stringify(next))))).toEqual(shown(whole.slice(index + 1)))
})
