import { errors } from '../errors.ts'
import { inSlices } from '../scheduling/in-slices.ts'
import type { Principal } from '../scheduling/principal.ts'
import type { Json } from '../values/json.ts'
import type { Search } from './search.ts'
import { type Word, wordsOf } from './words.ts'

const MAX_TEXT = 10_000

const TYPES: Readonly<Record<Word['kind'], string>> = {
  letters: '<ALPHANUM>',
  number: '<NUM>',
  unspaced: '<IDEOGRAPHIC>',
}

/**
 * Returns the words by which a text is indexed (protocol/search, Analyze).
 * @throws ApiError 102 without a text, or above 10 000 characters
 */
export async function analyze(
  { slices }: Pick<Search, 'slices'>,
  text: Json | undefined,
  principal: Principal,
): Promise<object[]> {
  if (typeof text !== 'string')
    throw errors.invalidQuery("The parameter 'text', the text to split into words, is missing.")
  if (text.length > MAX_TEXT)
    throw errors.invalidQuery(`The parameter 'text' must have at most ${MAX_TEXT} characters.`)
  return inSlices(slices.requests, principal, tokensOf(text))
}

function* tokensOf(text: string): Generator<undefined, object[], undefined> {
  const tokens: object[] = []
  for (const { text: token, start, end, kind, position } of wordsOf(text)) {
    tokens.push({ token, start_offset: start, end_offset: end, type: TYPES[kind], position })
    yield
  }
  return tokens
}
