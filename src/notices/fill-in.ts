import type { Catalog } from './catalog.ts'
import type { Notice, NoticeValue } from './notice.ts'

/** A piece of the text of a notice: words of the catalog, or a value with its name. */
export interface Piece {
  readonly text: string
  /** null: words of the catalog */
  readonly value: string | null
}

/** A language in which notices are shown. */
export interface Language {
  readonly catalog: Catalog
  /** Separates the items of a list. */
  readonly separator: string
}

const PLACEHOLDER = /\{\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}\}/g

/** Returns the text of a notice in a language, in pieces. A code that the catalog lacks is shown with its values as JSON. */
export function piecesOf(notice: Notice, language: Language): readonly Piece[] {
  const { catalog } = language
  if (!Object.hasOwn(catalog, notice.code)) return [{ text: JSON.stringify(notice), value: 'code' }]
  const template = catalog[notice.code]!
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: placeholder, 1: name = '', 2: one, 3: several, index } of template.matchAll(PLACEHOLDER)) {
    pieces.push({ text: template.slice(end, index), value: null })
    end = index + placeholder.length
    if (one === undefined) pieces.push(...piecesOfValue(notice[name], name, language))
    else pieces.push({ text: (notice[name] === 1 ? one : several) ?? '', value: null })
  }
  pieces.push({ text: template.slice(end), value: null })
  return pieces.filter(({ text }) => text !== '')
}

/** Returns the text of a notice in a language. */
export function fillIn(notice: Notice, language: Language): string {
  return piecesOf(notice, language)
    .map(({ text }) => text)
    .join('')
}

function piecesOfValue(value: NoticeValue | undefined, name: string, language: Language): readonly Piece[] {
  if (Array.isArray(value))
    return value.flatMap((item: NoticeValue, index) => [
      ...(index === 0 ? [] : [{ text: language.separator, value: null }]),
      ...piecesOfValue(item, name, language),
    ])
  if (typeof value === 'object') return piecesOf(value as Notice, language)
  return [{ text: String(value ?? ''), value: name }]
}
