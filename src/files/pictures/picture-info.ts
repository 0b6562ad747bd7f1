import type { Metadata } from 'sharp'
import type { RenderedPicture } from './rendered-picture.ts'
import type { SourceFormat } from './source-format.ts'

/** Positions of the first row and the first column of pixels, by EXIF orientation. */
const ORIENTATIONS: Readonly<Record<number, string>> = {
  1: 'Top-left',
  2: 'Top-right',
  3: 'Bottom-right',
  4: 'Bottom-left',
  5: 'Left-top',
  6: 'Right-top',
  7: 'Right-bottom',
  8: 'Left-bottom',
}

/**
 * Returns the response to `imageInfo`: properties that are known without decoding pixels.
 * @param size bytes of the file
 */
export function pictureInfo(format: SourceFormat, metadata: Metadata, size: number): RenderedPicture {
  const { width, height, orientation, pages } = metadata
  const info = {
    size,
    format,
    width,
    height,
    colorModel: colorModel(format, metadata),
    ...(orientation !== undefined && ORIENTATIONS[orientation] && { orientation: ORIENTATIONS[orientation] }),
    ...(format === 'gif' && { frameNumber: pages ?? 1 }),
  }
  return { bytes: Buffer.from(JSON.stringify(info)), contentType: 'application/json' }
}

function colorModel(format: SourceFormat, { space, hasAlpha, isPalette, depth, bitsPerSample }: Metadata): string {
  if (isPalette) return `palette${2 ** Math.min(8, bitsPerSample ?? 8)}`
  const wide = depth === 'ushort'
  if (space === 'cmyk') return 'cmyk'
  if ((space === 'b-w' || space === 'grey16') && !hasAlpha) return wide ? 'gray16' : 'gray'
  if (format === 'jpeg' || (format === 'webp' && !hasAlpha)) return 'ycbcr'
  return `${hasAlpha ? 'nrgba' : 'rgba'}${wide ? '64' : ''}`
}
