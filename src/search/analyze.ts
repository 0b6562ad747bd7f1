import { errors } from '../errors.ts'
import type { Json } from '../values/json.ts'
import { cutWords, type Word } from './words.ts'

const MAX_TEXT = 10_000

const TYPES: Readonly<Record<Word['kind'], string>> = {
  letters: '<ALPHANUM>',
  number: '<NUM>',
  unspaced: '<IDEOGRAPHIC>',
}

/**
 * The words that a text is indexed by (protocol/search, Analyze).
 * @throws ApiError 102 without a text, or for one of more than 10 000 characters
 */
export function analyze(text: Json | undefined): object[] {
  if (typeof text !== 'string')
    throw errors.invalidQuery("The parameter 'text' is missing, what is to be cut into words.")
  if (text.length > MAX_TEXT) throw errors.invalidQuery(`The parameter 'text' may have ${MAX_TEXT} characters.`)
  return cutWords(text).map((word) => ({
    token: word.text,
    start_offset: word.start,
    end_offset: word.end,
    type: TYPES[word.kind],
    position: word.position,
  }))
}
