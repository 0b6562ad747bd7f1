import type { FileRecord } from './file-queries.ts'

export type Shown = 'picture' | 'drawing' | 'audio' | 'video' | 'text' | 'other'

/** Returns the display kind of a file. An SVG is only displayed as an image: on its own page it could run scripts. */
export function shownAs({ mime_type: type, name = '' }: FileRecord): Shown {
  const known = (type ?? '').toLowerCase()
  if (known.startsWith('image/svg') || (known === '' && /\.svg$/i.test(name))) return 'drawing'
  if (known.startsWith('image/')) return 'picture'
  if (known.startsWith('audio/')) return 'audio'
  if (known.startsWith('video/')) return 'video'
  return known.startsWith('text/') || /^application\/(json|xml)\b/.test(known) ? 'text' : 'other'
}

/** Returns the path of the bytes on this server; null when another host has them. */
export function ownPath(appId: string, { key }: FileRecord): string | null {
  const steps = key?.split('/') ?? []
  // A browser resolves such segments, so the path would leave the files and could reach the management API.
  if (steps.length === 0 || steps.some((step) => step === '' || step === '.' || step === '..')) return null
  return `/files/${encodeURIComponent(appId)}/${steps.map(encodeURIComponent).join('/')}`
}

/** Returns the location of the bytes; null when the record has no URL that browsers can open safely. */
export function addressOf(appId: string, file: FileRecord): string | null {
  const own = ownPath(appId, file)
  if (own !== null) return own
  return file.url !== undefined && /^https?:\/\//i.test(file.url) ? file.url : null
}

/** Returns the thumbnail of a file on this server; null without one. */
export function thumbnailOf(appId: string, file: FileRecord, size: number): string | null {
  const kind = shownAs(file)
  const address = addressOf(appId, file)
  if (address === null || (kind !== 'picture' && kind !== 'drawing')) return null
  const isMade = kind === 'picture' && ownPath(appId, file) !== null
  return isMade ? `${address}?imageView2/1/w/${size}/h/${size}` : address
}
