import { expect, test } from 'vitest'
import { killMoves } from './moving/campaign.ts'
import { differencesOf } from './moving/content.ts'

// `npm run crash:moving` kills any number of times, with other seeds.
test('an import and a pull killed with the server resume with the same command and produce the same data', {
  timeout: 300_000,
}, async () => {
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  const { differences, kills } = await killMoves({ seed: 23, rounds: 3, ways: ['import', 'pull'], report })
  expect(differences, lines.join('\n')).toEqual([])
  expect([...kills.values()].reduce((sum, count) => sum + count, 0)).toBe(6)
})

test.each([
  ['a row that is missing', ['a', 'b'], ['a'], ['1 rows are missing']],
  ['a row that is there twice', ['a'], ['a', 'a'], ['1 rows are too many']],
  ['a row that is another', ['a'], ['b'], ['1 rows are missing', '1 rows are too many']],
  ['the same rows', ['a', 'b'], ['b', 'a'], []],
])('the comparison reports %s', (_, expected, found, differences) => {
  const listed = differencesOf(new Map([['Post', expected]]), new Map([['Post', found]]))
  expect(listed).toEqual(differences.map((text) => expect.stringContaining(text)))
})
