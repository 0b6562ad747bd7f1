import { COMPARING } from './comparing.ts'
import { PULLING } from './pulling.ts'
import { READING } from './reading.ts'
import { TAKING } from './taking.ts'

/**
 * What the commands and the import say, as it stands in their source with `{}` for each value, and the same in Chinese with
 * `{1}`, `{2}`, … for the values.
 */
export const SENTENCES: { readonly [english: string]: string } = { ...READING, ...TAKING, ...PULLING, ...COMPARING }

/** A text in parts. What is English in it is prose that nobody has translated; values are of no language. */
export type Phrase = readonly { readonly text: string; readonly isEnglish: boolean }[]

interface Form {
  readonly pattern: RegExp
  readonly chinese: string
  /** How much of it are words: the form that says most is the one that is meant. */
  readonly words: number
}

const forms: readonly Form[] = Object.entries(SENTENCES)
  .map(([english, chinese]) => {
    const pieces = english.split('{}')
    const pattern = new RegExp(
      `^${pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('(.*?)')}$`,
      's',
    )
    return { pattern, chinese, words: pieces.join('').length }
  })
  .sort((a, b) => b.words - a.words)

const PROSE = /[a-z]+ [a-z]+/

/**
 * A sentence of a command in Chinese; null where it is not known.
 * @param nameOf how that is called which stands before a colon, as a class or a file does
 */
export function inChinese(text: string, nameOf: (name: string) => string): Phrase | null {
  for (const { pattern, chinese } of forms) {
    const found = pattern.exec(text)
    if (!found) continue
    const pieces = chinese.split(/\{(\d+)\}/)
    return joined(pieces.map((piece, at) => (at % 2 === 0 ? words(piece) : ofValue(found[Number(piece)]!, nameOf))))
  }
  for (let end = text.indexOf(': '); end !== -1; end = text.indexOf(': ', end + 1)) {
    const rest = inChinese(text.slice(end + 2), nameOf)
    if (rest) return joined([words(`${nameOf(text.slice(0, end))}：`), rest])
  }
  return null
}

/** A text that nobody has translated; what is no prose, as a name is none, is of no language. */
export function asItIs(text: string): Phrase {
  return [{ text, isEnglish: PROSE.test(text) }]
}

function words(text: string): Phrase {
  return [{ text, isEnglish: false }]
}

function ofValue(value: string, nameOf: (name: string) => string): Phrase {
  return inChinese(value, nameOf) ?? asItIs(value)
}

function joined(phrases: readonly Phrase[]): Phrase {
  return phrases.flat().filter(({ text }) => text !== '')
}
