/** Size of a glyph in columns and rows. */
export const GLYPH_WIDTH = 5
export const GLYPH_HEIGHT = 7

/**
 * The characters of captchas, row by row. Of each group of similar characters (0 O D Q, 1 I L, 2 Z, 5 S, 6 G, 8 B, U V)
 * at most one is included, so that an image is unambiguous.
 */
const ROWS = {
  '2': '.###. #...# ....# ...#. ..#.. .#... #####',
  '3': '####. ....# ....# .###. ....# ....# ####.',
  '4': '...#. ..##. .#.#. #..#. ##### ...#. ...#.',
  '5': '##### #.... ####. ....# ....# #...# .###.',
  '6': '..##. .#... #.... ####. #...# #...# .###.',
  '7': '##### ....# ...#. ..#.. ..#.. .#... .#...',
  '8': '.###. #...# #...# .###. #...# #...# .###.',
  '9': '.###. #...# #...# .#### ....# ...#. .##..',
  A: '..#.. .#.#. #...# #...# ##### #...# #...#',
  C: '.###. #...# #.... #.... #.... #...# .###.',
  E: '##### #.... #.... ####. #.... #.... #####',
  F: '##### #.... #.... ####. #.... #.... #....',
  H: '#...# #...# #...# ##### #...# #...# #...#',
  J: '..### ...#. ...#. ...#. ...#. #..#. .##..',
  K: '#...# #..#. #.#.. ##... #.#.. #..#. #...#',
  M: '#...# ##.## #.#.# #.#.# #...# #...# #...#',
  N: '#...# ##..# #.#.# #.#.# #..## #...# #...#',
  P: '####. #...# #...# ####. #.... #.... #....',
  R: '####. #...# #...# ####. #.#.. #..#. #...#',
  T: '##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..',
  U: '#...# #...# #...# #...# #...# #...# .###.',
  W: '#...# #...# #...# #.#.# #.#.# ##.## #...#',
  X: '#...# #...# .#.#. ..#.. .#.#. #...# #...#',
  Y: '#...# #...# .#.#. ..#.. ..#.. ..#.. ..#..',
} as const

/** Rows of bits: 1 is ink. */
export type Glyph = readonly (readonly number[])[]

const GLYPHS: ReadonlyMap<string, Glyph> = new Map(
  Object.entries(ROWS).map(([character, rows]) => [character, rows.split(' ').map(bits)]),
)

/** Every character that can be drawn. */
export const CAPTCHA_ALPHABET = [...GLYPHS.keys()].join('')

/** @throws Error when the character is not in the alphabet */
export function glyphOf(character: string): Glyph {
  const glyph = GLYPHS.get(character)
  if (!glyph) throw new Error(`no captcha can show ${JSON.stringify(character)}`)
  return glyph
}

function bits(row: string): number[] {
  return [...row].map((mark) => (mark === '#' ? 1 : 0))
}
