/** What leads to another folder, breaks the line or orders a name in another way: `exe.png` may be written from right to left. */
const UNUSABLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu
/** Devices of Windows, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i

/** Returns the name under which a program saves a file: one that names a file of the folder that the user chose. */
export function downloadName(name: string): string {
  const usable = name.replaceAll(UNUSABLE, '_')
  if (/^[\s.]*$/.test(usable)) return '_'
  return DEVICE.test(usable) ? `_${usable}` : usable
}
