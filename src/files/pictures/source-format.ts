import type { OutputFormat } from './picture-steps.ts'

export type SourceFormat = OutputFormat | 'tiff'

/**
 * Detects the format of a picture by its first bytes; its name is ignored.
 * @returns null when the file is not a picture that can be processed
 */
export function sourceFormat(bytes: Buffer): SourceFormat | null {
  const head = bytes.toString('latin1', 0, 32)
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(head)) return 'gif'
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp'
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return 'tiff'
  return head.startsWith('ftyp', 4) && /avi[fs]/.test(head) ? 'avif' : null
}
