import sharp from 'sharp'

/** A PNG of one colour, so many pixels wide and high. */
export function pictureOf(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#2090c0' } })
    .png()
    .toBuffer()
}

/** What the picture behind a URL is. */
export async function sizeOf(url: string): Promise<{ format: string; width: number; height: number }> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
  return { format, width, height }
}
