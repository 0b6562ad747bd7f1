import { shellArgument } from '../../../parts/shell-argument.ts'

/** The values filled into connection code. */
export interface ServerAddress {
  /** Without a trailing slash */
  readonly serverUrl: string
  readonly appId: string
  readonly appKey: string
}

/** Code to copy. */
export interface Snippet {
  /** A file name, a version or a kind: not translated; absent when there is only one. */
  readonly label?: string
  readonly code: string
}

/** Placeholder for a secret that is not shown here. */
export const MASTER_KEY = '<Master Key>'

/** Returns a text as a literal in double quotes, for languages that expand nothing inside of them. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** Returns a text as a literal in single quotes, of JavaScript and PHP. */
export function single(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** Returns a text as a Dart literal in single quotes, where `$` starts an expression. */
export function dart(text: string): string {
  return single(text).replaceAll('$', '\\$')
}

/** Returns a text as a YAML value: quoted when it could be another type, a comment or a reference. */
export function yaml(text: string): string {
  return /^[A-Za-z][\w./:-]{4,}(?<!:)$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`
}

/** Returns a text as a value in a file of environment variables: quoted when it contains special characters. */
export function env(text: string): string {
  if (/^[\w.:/-]*$/.test(text)) return text
  const quote = ["'", '`', '"'].find((mark) => !text.includes(mark)) ?? ''
  return quote + text + quote
}

/** Returns a text as a shell word: quoted when it contains special characters. */
export function word(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : shellArgument(text)
}
