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

export function quoted(text: string): string {
  return JSON.stringify(text)
}

export function single(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
