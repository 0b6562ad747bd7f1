import { wordsOf } from '../words.ts'
import { MAX_WORDS, wordLexeme } from './document.ts'

/** An object as it is sent to a search server. */
export interface ServerDocument {
  /** Its words in order, separated by spaces. Inner words follow their word: `1:大学生|1:大学|1:学生 1:ok`. */
  readonly words: string
  /** Weight of each word in it, which decreases with the number of words. */
  readonly share: number
}

/** Returns the document of an object. Pauses after each word. @param texts by field number */
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

/** Replaces separators within a word. A ligature, for example, can normalize to several words. */
export function indexedToken(word: string): string {
  return word.replace(/[\s|]/gu, '_')
}
