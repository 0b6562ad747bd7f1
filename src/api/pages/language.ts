/** The languages that pages are written in. */
export type Language = 'zh-CN' | 'en'

/** The texts of a page; one that is missing in a language is a type error. */
export type Translations<Texts> = { readonly [language in Language]: Readonly<Texts> }

/**
 * The language of a page: what `?lang=` (or the form's `lang`) says, else which of the two a browser's Accept-Language
 * prefers. English when neither says Chinese first. Every kind of Chinese is answered in the one that we have.
 */
export function languageOf(parameter: unknown, acceptLanguage: string | undefined): Language {
  const asked = typeof parameter === 'string' ? fromTag(parameter) : null
  return asked ?? preferred(acceptLanguage ?? '') ?? 'en'
}

/** RFC 5646: the first part of a tag is the language. Some write `zh_CN`. */
function fromTag(tag: string): Language | null {
  switch (/^[a-z]+/i.exec(tag.trim())?.[0].toLowerCase()) {
    case 'zh':
      return 'zh-CN'
    case 'en':
      return 'en'
    default:
      return null
  }
}

/** RFC 9110, 12.5.4: ranges with weights; of equal ones, the first counts. A weight of 0 means: not this one. */
function preferred(header: string): Language | null {
  let best: Language | null = null
  let bestWeight = 0
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';')
    const language = fromTag(tag)
    const weight = weightOf(parameters)
    if (language !== null && weight > bestWeight) {
      best = language
      bestWeight = weight
    }
  }
  return best
}

/** 0 to 1; 1 without a `q`, 0 for one that cannot be read. */
function weightOf(parameters: readonly string[]): number {
  const parameter = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('q='))
  if (parameter === undefined) return 1
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(parameter) ? Number(parameter.slice(2)) : 0
}
