/**
 * Characters that a terminal executes when pasted (Ctrl+C, the end of a bracketed paste), and those that reorder a line:
 * embeddings, overrides and isolates. Direction marks needed in Arabic and Hebrew texts stay.
 */
const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
/** For a value of one line, such as a key: also line breaks and zero-width characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns a copied text: each control character becomes U+FFFD, and lines end with a line feed. */
export function clipboardText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd')
}

/** Returns a copied id, key, URL or command: on one line, which a terminal does not execute before Enter. */
export function clipboardLine(text: string): string {
  return text.replace(UNSEEN, '\ufffd')
}

/**
 * Returns JSON or code with the characters of `UNSEEN` escaped for strings (`\u202e`): they are copied, and the visible code is
 * what runs.
 * @param text code that contains such characters only in strings
 */
export function escapeUnseen(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  )
}

/**
 * Writes a text to the clipboard.
 * @param text result of `clipboardText` or `clipboardLine`
 */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** Cleans text that is selected on a page and copied. Fields, editors and the grid have their own copy handlers. */
export function cleanCopy(event: ClipboardEvent): void {
  const selected = String(getSelection() ?? '')
  const text = clipboardText(selected)
  if (event.defaultPrevented || text === selected) return
  event.clipboardData?.setData('text/plain', text)
  event.preventDefault()
}
