import { wordsOf } from '../words.ts'
import { MAX_WORDS, wordLexeme } from './document.ts'

/** An object as it is sent to a search server. */
export interface ServerDocument {
  /** Its words in their order with blanks in between, and what stands inside of one behind it: `1:大学生|1:大学|1:学生 1:ok`. */
  readonly words: string
  /** What a word counts in it: the less the more words there are. */
  readonly share: number
}

/** Makes the document of an object; pauses after each word. @param texts by the number of the field */
export function* serverDocument(texts: ReadonlyMap<number, string>): Generator<undefined, ServerDocument, undefined> {
  const tokens: string[] = []
  for (const [field, text] of texts) {
    for (const { text: word, inner } of wordsOf(text, MAX_WORDS)) {
      yield
      const token = indexedToken(wordLexeme(field, word))
      if (inner) tokens.push(`${tokens.pop()}|${token}`)
      else tokens.push(token)
    }
  }
  return { words: tokens.join(' '), share: 1 / (1 + Math.log(Math.max(tokens.length, 1))) }
}

/** A word without the signs that part words there: a ligature, for one, may stand for several words. */
export function indexedToken(word: string): string {
  return word.replace(/[\s|]/gu, '_')
}
