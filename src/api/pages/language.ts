/** The languages of the pages. */
export type Language = 'zh-CN' | 'en'

/** The texts of a page; a missing text in a language is a type error. */
export type Translations<Texts> = { readonly [language in Language]: Readonly<Texts> }

/**
 * Returns the language of a page: that of `?lang=` (or the form's `lang`), else the preferred one in Accept-Language.
 * English when neither prefers Chinese. All variants of Chinese map to the one available.
 */
export function languageOf(parameter: unknown, acceptLanguage: string | undefined): Language {
  const requested = typeof parameter === 'string' ? fromTag(parameter) : null
  return requested ?? preferred(acceptLanguage ?? '') ?? 'en'
}

/** RFC 5646: the first part of a tag is the language. Some clients write `zh_CN`. */
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

/** RFC 9110, 12.5.4: ranges with weights; of equal ones, the first counts. A weight of 0 excludes a language. */
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

/** Returns 0 to 1; 1 without a `q`, 0 for an invalid one. */
function weightOf(parameters: readonly string[]): number {
  const parameter = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('q='))
  if (parameter === undefined) return 1
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(parameter) ? Number(parameter.slice(2)) : 0
}
