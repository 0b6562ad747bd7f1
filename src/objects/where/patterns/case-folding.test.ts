import { expect, it } from 'vitest'
import { CASED_BLOCKS, foldCharacter } from './case-folding.ts'

it('finds all characters with another case in the cased blocks', () => {
  const different: number[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    if (CASED_BLOCKS.some(([first, last]) => code >= first && code <= last)) continue
    const text = String.fromCodePoint(code)
    if (text.toUpperCase() !== text || text.toLowerCase() !== text) different.push(code)
  }
  expect(different).toEqual([])
})

it.each([
  ['k', 'kK\u212a'],
  ['σ', 'Σςσ'],
  ['ß', 'ßẞ'],
  ['ё', 'Ёё'],
  ['\u{10428}', '\u{10400}\u{10428}'],
  ['文', '文'],
])('folds %s with %s', (character, variants) => {
  const folded = foldCharacter(character.codePointAt(0)!)
  const characters = folded.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
  expect(characters.toSorted()).toEqual([...variants].toSorted())
})
