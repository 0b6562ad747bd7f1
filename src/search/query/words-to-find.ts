import { indexed } from '../words.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const MAX_FUZZY = 20

/**
 * Returns the variants of a fuzzy word: the word itself, and all words with one letter changed, removed, inserted or swapped with
 * the next one, for the letters a to z and digits. Words of one or two letters, long words, and words in other scripts have no
 * variants.
 */
export function similarWords(text: string): string[] {
  const word = indexed(text)
  if (!/^[a-z0-9]+$/.test(word) || word.length < 3 || word.length > MAX_FUZZY) return [word]
  const similar = new Set([word])
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of LETTERS) {
      similar.add(before + letter + after)
      if (after !== '') similar.add(before + letter + after.slice(1))
    }
    if (after !== '') similar.add(before + after.slice(1))
    if (after.length > 1) similar.add(before + after.charAt(1) + after.charAt(0) + after.slice(2))
  }
  return [...similar]
}

/**
 * Returns a test whether a wildcard pattern matches a word. Each star matches as little as possible, without backtracking to
 * earlier stars.
 */
export function wildcardTest(parts: readonly string[], signs: readonly ('*' | '?')[]): (word: string) => boolean {
  const pattern: string[] = parts.flatMap((part, index) => [
    ...[...indexed(part)].map((character) => `=${character}`),
    ...(signs[index] === undefined ? [] : [signs[index]!]),
  ])
  return (word) => matches(pattern, [...word])
}

function matches(pattern: readonly string[], characters: readonly string[]): boolean {
  let [at, position, star, starAt] = [0, 0, -1, 0]
  while (at < characters.length) {
    const wanted = pattern[position]
    if (wanted === '?' || (wanted !== '*' && wanted !== undefined && wanted.slice(1) === characters[at])) {
      at++
      position++
    } else if (pattern[position] === '*') {
      star = position++
      starAt = at
    } else if (star >= 0) {
      position = star + 1
      at = ++starAt
    } else return false
  }
  while (pattern[position] === '*') position++
  return position === pattern.length
}
