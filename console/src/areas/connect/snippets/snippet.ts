import { shellArgument } from '../../../parts/shell-argument.ts'

/** What code to connect an app is filled in with. */
export interface Place {
  /** No slash at its end */
  readonly serverUrl: string
  readonly appId: string
  readonly appKey: string
}

/** Code to be copied. */
export interface Snippet {
  /** A file name, a version or a kind: the same in every language; absent where there is but one. */
  readonly label?: string
  readonly code: string
}

/** Stands where a program reads a secret that is not shown here. */
export const MASTER_KEY = '<Master Key>'

/** Returns a text as a literal in double quotes, which all languages know that expand nothing inside of them. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Returns a text as a literal in single quotes, of JavaScript and PHP. */
export function single(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** Returns a text as a literal in single quotes of Dart, where `$` begins an expression. */
export function dart(text: string): string {
  return single(text).replaceAll('$', '\\$')
}

/** Returns a text as a value of YAML: in quotes where it could be of another type, a comment or a reference. */
export function yaml(text: string): string {
  return /^[A-Za-z][\w./:-]{4,}(?<!:)$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`
}

/** Returns a text as a value of a file of environment variables: in quotes where it has more than usual characters. */
export function env(text: string): string {
  if (/^[\w.:/-]*$/.test(text)) return text
  const quote = ["'", '`', '"'].find((mark) => !text.includes(mark)) ?? ''
  return quote + text + quote
}

/** Returns a text as a word of a shell: in quotes where it has more than usual characters. */
export function word(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : shellArgument(text)
}
