import { setImmediate as nextTurn } from 'node:timers/promises'
import { isJsonObject, type Json } from './json.ts'
import { type Text, TextInPieces } from './text-in-pieces.ts'

/** Characters of the texts of a value from which on its JSON is made in turns: below that it takes a millisecond. */
const LARGE = 256 * 1024
/** Characters of a piece, after which others have their turn. */
const PIECE = 64 * 1024
/** What a value counts at least, in characters: many small ones take their time too. */
const LEAST = 8

/**
 * The text that `JSON.stringify` makes of a value; of a large one a piece in each turn of the event loop: 15 MB at once
 * take 40 ms, in which nobody else would be served.
 * @returns a large one in pieces
 */
export async function jsonOf(value: Json): Promise<Text> {
  if (!isLarge(value)) return JSON.stringify(value)
  const pieces: string[] = []
  let small: string[] = []
  let length = 0
  for (const piece of piecesOf(value)) {
    small.push(piece)
    length += Math.max(piece.length, LEAST)
    if (length < PIECE) continue
    pieces.push(small.join(''))
    small = []
    length = 0
    await nextTurn()
  }
  if (small.length > 0) pieces.push(small.join(''))
  return new TextInPieces(pieces)
}

/** Whether the text of a value is made in turns. */
export function isLarge(value: Json): boolean {
  return lengthOf(value, LARGE) >= LARGE
}

/** @returns about so many characters as the texts of a value have; anything from `enough` on when they have as many */
function lengthOf(value: Json, enough: number): number {
  if (typeof value === 'string') return Math.max(value.length, LEAST)
  if (typeof value !== 'object' || value === null) return LEAST
  let length = LEAST
  if (Array.isArray(value)) {
    for (const item of value) {
      length += lengthOf(item, enough - length)
      if (length >= enough) break
    }
    return length
  }
  for (const name in value) {
    length += name.length + lengthOf((value as { [name: string]: Json })[name]!, enough - length)
    if (length >= enough) break
  }
  return length
}

/** A list or an object whose end has not been written. */
interface Open {
  readonly names: readonly string[] | null
  readonly values: readonly Json[]
  written: number
}

/** Goes down without recursion: a generator within a generator would cost each value as often as it is deep. */
function* piecesOf(whole: Json): Generator<string> {
  const open: Open[] = []
  for (let value: Json | undefined = whole; ; ) {
    if (typeof value === 'string') yield* piecesOfText(value)
    else if (Array.isArray(value)) {
      yield '['
      open.push({ names: null, values: value, written: 0 })
    } else if (isJsonObject(value)) {
      yield '{'
      open.push({ names: Object.keys(value), values: Object.values(value), written: 0 })
    } else if (value !== undefined) yield JSON.stringify(value)
    const last = open.at(-1)
    if (!last) return
    const { names, values, written } = last
    if (written === values.length) {
      yield names ? '}' : ']'
      open.pop()
      value = undefined
    } else {
      const comma = written > 0 ? ',' : ''
      if (names) yield `${comma}${JSON.stringify(names[written])}:`
      else if (comma) yield comma
      value = values[written]
      last.written++
    }
  }
}

function* piecesOfText(text: string): Generator<string> {
  if (text.length <= PIECE) {
    yield JSON.stringify(text)
    return
  }
  yield '"'
  for (let start = 0; start < text.length; ) {
    let end = start + PIECE
    // Halves of a character, parted, would be written as what they are.
    if (isFirstHalf(text.charCodeAt(end - 1))) end++
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
