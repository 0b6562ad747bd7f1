import sharp from 'sharp'
import type { Attack } from '../attack.ts'
import { ATTACKER } from '../target.ts'

/** A photo of 5 megapixels, about 4 MB as PNG. */
const WIDTH = 2500
const HEIGHT = 2000

let url = ''

/** Attacks with image sizes not requested before. */
export const PICTURE_ATTACKS: readonly Attack[] = [
  {
    name: 'new-pictures',
    what: 'ever new sizes and formats of one PNG of 4 MB, smaller and larger ones',
    prepare: async (attacker) => {
      const noise = { type: 'gaussian' as const, mean: 128, sigma: 1.5 }
      const bytes = await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: 'red', noise } })
        .png()
        .toBuffer()
      const body = { name: 'photo.png', mime_type: 'image/png', metaData: { size: bytes.length } }
      const token = await attacker.request({ path: '/1.1/fileTokens', body })
      const { pathname, search } = new URL(String(token.upload_url))
      const path = pathname + search
      const { status } = await attacker.send({ method: 'PUT', path, body: bytes, asClient: false })
      if (status !== 200) throw new Error(`The picture was not uploaded from ${ATTACKER}: ${status}`)
      url = new URL(String(token.url)).pathname
    },
    run: (attacker) =>
      attacker.flood(8, (n) => {
        const side = 300 + ((n * 7) % 1500)
        const query = [
          `imageView2/2/w/${side}/h/${3000 - side}`,
          `imageMogr2/thumbnail/${2 * side}x${3000 - side}!`,
          `imageMogr2/thumbnail/${side}x/rotate/${1 + (n % 89)}/format/webp`,
          `imageMogr2/auto-orient/thumbnail/!${50 + (n % 130)}p/blur/${1 + (n % 9)}x3`,
        ][n % 4]
        return attacker.send({ method: 'GET', path: `${url}?${query}`, asClient: false })
      }),
  },
]
