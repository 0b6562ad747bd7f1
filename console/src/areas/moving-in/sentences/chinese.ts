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
  /** What stands around the values. */
  readonly pieces: readonly string[]
  readonly chinese: string
  /** How much of it are words: the form that says most is the one that is meant. */
  readonly words: number
}

const forms: readonly Form[] = Object.entries(SENTENCES)
  .map(([english, chinese]) => {
    const pieces = english.split('{}')
    return { pieces, chinese, words: pieces.join('').length }
  })
  .sort((a, b) => b.words - a.words)

const PROSE = /[a-z]+ [a-z]+/
/** Names that stand before a sentence with colons between, such as those of an archive and of a file in it. */
const MOST_NAMES = 5

/**
 * A sentence of a command in Chinese; null where it is not known. A source has a say in what is in it: the effort grows with its
 * length alone.
 * @param nameOf how that is called which stands before a colon, as a class or a file does
 */
export function inChinese(text: string, nameOf: (name: string) => string): Phrase | null {
  const whole = byForm(text, nameOf)
  if (whole) return whole
  for (let end = text.indexOf(': '), names = 1; end !== -1 && names <= MOST_NAMES; names++) {
    const rest = byForm(text.slice(end + 2), nameOf)
    if (rest) return joined([words(`${nameOf(text.slice(0, end))}：`), rest])
    end = text.indexOf(': ', end + 1)
  }
  return null
}

function byForm(text: string, nameOf: (name: string) => string): Phrase | null {
  for (const { pieces, chinese } of forms) {
    const values = valuesBetween(pieces, text)
    if (!values) continue
    return joined(
      chinese
        .split(/\{(\d+)\}/)
        .map((part, at) => (at % 2 === 0 ? words(part) : ofValue(values[Number(part) - 1]!, nameOf))),
    )
  }
  return null
}

/** What stands between the pieces of a form, each value as short as it can be; null for a text of another form. */
function valuesBetween(pieces: readonly string[], text: string): string[] | null {
  const [first = '', ...others] = pieces
  const last = others.pop()
  if (last === undefined) return text === first ? [] : null
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return null
  const values: string[] = []
  let from = first.length
  for (const piece of others) {
    const at = text.indexOf(piece, from)
    if (at === -1 || at + piece.length > end) return null
    values.push(text.slice(from, at))
    from = at + piece.length
  }
  return [...values, text.slice(from, end)]
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
