/** Each pattern matches the text to replace; lookarounds exclude longer operators and DDL. */
const RULES = [
  [/\bAND\b/g, 'OR'],
  [/(?<!CREATE )\bOR\b/g, 'AND'],
  [/(?<![<@-])<(?![=>@<|&-])/g, '<='],
  [/(?<!<)<=(?!>)/g, '<'],
  [/(?<![-<>@=#|&~])>(?![=>|&])/g, '>='],
  [/>=/g, '>'],
  [/\bASC\b/g, 'DESC'],
  [/\bDESC\b/g, 'ASC'],
  [/(?<!IF )\bNOT EXISTS\b/g, 'EXISTS'],
  [/(?<!(?:IF|NOT) )\bEXISTS\b/g, 'NOT EXISTS'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/(?<= )\+(?= )/g, '-'],
  [/(?<= )-(?= )/g, '+'],
]
const LOOKS_LIKE_SQL =
  /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|AND|OR|FROM|SET|VALUES|NULL|EXISTS|ASC|DESC|CASE|ORDER BY|COALESCE|greatest|least|now)\b/

/**
 * Finds mutations of SQL in the texts of a template literal, without its embedded expressions.
 * @param {{ quasis: readonly { start: number, end: number, value: { raw: string } }[] }} template
 * @param {string} source text of the file
 * @returns {{ start: number, end: number, replacement: string }[]} positions in the file, in UTF-16 units
 */
export function sqlMutations(template, source) {
  const texts = template.quasis.map((quasi) => textOf(quasi, source))
  const isSql = texts.some(({ text }) => LOOKS_LIKE_SQL.test(text) || /^\s*[<>]=?\s*$/.test(text))
  if (!isSql) return []
  const found = []
  let before = ''
  for (const { start, text } of texts) {
    for (const [pattern, replacement] of RULES) {
      for (const { 0: match, index } of text.matchAll(pattern)) {
        if (match === 'AND' && endsBetween(before + text.slice(0, index))) continue
        found.push({ start: start + index, end: start + index + match.length, replacement })
      }
    }
    before += `${text}$`
  }
  return found.sort((one, other) => one.start - other.start)
}

/** Returns whether the next `AND` belongs to a `BETWEEN`. */
function endsBetween(sql) {
  return /\bBETWEEN\b(?:(?!\bAND\b).)*$/s.test(sql)
}

/** Parsers differ in whether the span of a text includes its delimiters. */
function textOf({ start, value }, source) {
  return { start: source.indexOf(value.raw, start), text: value.raw }
}
