/**
 * Path separators, control characters and line breaks, and bidirectional controls that reorder a name, such as to display
 * `exe.png`.
 */
const UNUSABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu
/** Device names of Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i

/** Returns a file name that is safe to save under: it stays in the folder that the user chose. */
export function downloadName(name: string): string {
  const usable = name.replaceAll(UNUSABLE, '_')
  if (/^[\s.]*$/.test(usable)) return '_'
  return DEVICE.test(usable) ? `_${usable}` : usable
}
