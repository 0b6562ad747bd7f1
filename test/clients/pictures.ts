import sharp from 'sharp'

/** Returns a PNG of one color with the given size in pixels. */
export function pictureOf(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#2090c0' } })
    .png()
    .toBuffer()
}

/** Returns the format and size of the image at a URL. */
export async function sizeOf(url: string): Promise<{ format: string; width: number; height: number }> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
  return { format, width, height }
}
