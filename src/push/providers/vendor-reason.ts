import type { Json } from '../../values/json.ts'

const MAX_LENGTH = 200
const CONTROL_CHARACTERS = /\p{Cc}+/gu
/** Matches text that looks like a token or key: long, without spaces, with a digit. */
const TOKEN_LIKE = /(?=[\w+/=:.%~-]*\d)[\w+/=:.%~-]{16,}/g

/**
 * Returns a vendor's response as one short line for developers: its code and text. Vendors repeat parts of the request in their
 * texts, so anything that is or looks like a token or key is removed.
 * @param hidden tokens and keys of the request
 */
export function reasonOf(code: Json | undefined, text: Json | undefined, hidden: readonly string[]): string {
  const said = [code, text]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).slice(0, 10 * MAX_LENGTH))
    .filter((part) => part !== '')
    .join(': ')
  let line = said
  for (const secret of hidden) if (secret.length > 2) line = line.replaceAll(secret, '…')
  line = line.replace(CONTROL_CHARACTERS, ' ').replace(TOKEN_LIKE, '…').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line || 'without a reason'
}
