/**
 * Characters that a terminal runs when they are pasted (Ctrl+C, the end of a bracketed paste), and those that order a line in
 * another way than it is read: embeddings, overrides and isolates. Marks of direction that Arabic and Hebrew texts need stay.
 */
const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
/** In a value of one line, such as a key: also what breaks the line, and what has no width. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns a text of data as it is copied: each control character becomes U+FFFD. Lines end with a line feed. */
export function clipboardText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd')
}

/** Returns an id, a key, a URL or a command as it is copied: on one line, which a terminal does not run before Enter. */
export function clipboardLine(text: string): string {
  return text.replace(UNSEEN, '\ufffd')
}

/**
 * Returns JSON or code with the characters of `UNSEEN` as escapes, which strings of both know (`\u202e`): they are copied, and what
 * is seen is what runs.
 * @param text code in which such characters stand in strings alone
 */
export function escapeUnseen(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  )
}

/** Puts a text into the clipboard. @param text made by `clipboardText` or `clipboardLine` */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** Cleans what a person selects on a page and copies. Fields, editors and the grid copy what they hold by themselves. */
export function cleanCopy(event: ClipboardEvent): void {
  const selected = String(getSelection() ?? '')
  const text = clipboardText(selected)
  if (event.defaultPrevented || text === selected) return
  event.clipboardData?.setData('text/plain', text)
  event.preventDefault()
}
