import { crc32 } from 'node:zlib'
import type { Sharp } from 'sharp'
import { expect, it, vi } from 'vitest'
import { ApiError } from '../../errors.ts'
import { sharp } from './image-library.ts'
import { PICTURE_LIMITS, type PictureLimits } from './picture-limits.ts'
import { parsePictureRequest } from './picture-request.ts'
import { renderPicture } from './render-picture.ts'

type Colour = 'red' | 'lime' | 'blue' | 'white'

/** A picture with a red, a green, a blue and a white quarter, starting at the top left. */
function quarters(width: number, height: number): Sharp {
  const quarter = (colour: string, left: number, top: number) => ({
    input: { create: { width: width / 2, height: height / 2, channels: 3 as const, background: colour } },
    left,
    top,
  })
  const [left, top] = [width / 2, height / 2]
  return sharp({ create: { width, height, channels: 3, background: 'white' } }).composite([
    quarter('red', 0, 0),
    quarter('lime', left, 0),
    quarter('blue', 0, top),
  ])
}

async function render(bytes: Buffer, query: string, limits: Partial<PictureLimits> = {}) {
  return await renderPicture({ bytes }, parsePictureRequest(query)!, { ...PICTURE_LIMITS, ...limits })
}

async function metadataOf(bytes: Buffer, query: string, limits?: Partial<PictureLimits>) {
  return await sharp((await render(bytes, query, limits)).bytes).metadata()
}

async function sizeOf(bytes: Buffer, query: string): Promise<string> {
  const { width, height } = await metadataOf(bytes, query)
  return `${width}x${height}`
}

/** The colors of the four corners, starting at the top left, each rounded to the nearest of `quarters`. */
async function corners(bytes: Buffer): Promise<Colour[]> {
  const { data, info } = await sharp(bytes).flatten().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number): Colour => {
    const [red, green, blue] = [...data.subarray((y * info.width + x) * info.channels)].map((value) => value > 127)
    if (red) return green && blue ? 'white' : 'red'
    return green ? 'lime' : 'blue'
  }
  const [right, bottom] = [info.width - 1, info.height - 1]
  return [at(0, 0), at(right, 0), at(0, bottom), at(right, bottom)]
}

const wide = await quarters(640, 428).jpeg().toBuffer()
const tall = await quarters(428, 640).png().toBuffer()

it.each([
  // The box as specified, for a landscape picture.
  ['imageView2/0/w/200/h/200', '200x134', '134x200'],
  ['imageView2/0/w/200', '200x134', '134x200'],
  ['imageView2/0/h/200', '299x200', '200x299'],
  ['imageView2/0/w/200/h/50', '75x50', '50x75'],
  ['imageView2/1/w/200/h/100', '200x100', '200x100'],
  ['imageView2/1/w/200', '200x200', '200x200'],
  ['imageView2/1/h/100', '100x100', '100x100'],
  ['imageView2/1/w/1000/h/100', '640x100', '428x100'],
  ['imageView2/2/w/200', '200x134', '200x299'],
  ['imageView2/2/h/200', '299x200', '134x200'],
  ['imageView2/2/w/200/h/100', '150x100', '67x100'],
  ['imageView2/2/w/2000', '640x428', '428x640'],
  ['imageView2/3/w/200/h/100', '200x134', '200x299'],
  ['imageView2/3/w/200', '299x200', '200x299'],
  ['imageView2/3/w/2000', '640x428', '428x640'],
  ['imageView2/4/w/200/h/50', '200x134', '134x200'],
  ['imageView2/5/w/200/h/50', '200x50', '50x200'],
  ['imageView/1/w/900/h/900', '900x900', '900x900'],
  ['imageView/2/w/900/h/900', '640x428', '428x640'],
  ['imageMogr2/thumbnail/!50p', '320x214', '214x320'],
  ['imageMogr2/thumbnail/!50px', '320x428', '214x640'],
  ['imageMogr2/thumbnail/!x50p', '640x214', '428x320'],
  ['imageMogr2/thumbnail/320x', '320x214', '320x479'],
  ['imageMogr2/thumbnail/x320', '479x320', '214x320'],
  ['imageMogr2/thumbnail/1280x', '1280x856', '1280x1914'],
  ['imageMogr2/thumbnail/300x300', '300x201', '201x300'],
  ['imageMogr2/thumbnail/!200x200r', '299x200', '200x299'],
  ['imageMogr2/thumbnail/200x300!', '200x300', '200x300'],
  ['imageMogr2/thumbnail/200x!', '200x428', '200x640'],
  ['imageMogr2/thumbnail/200x300%3E', '200x134', '200x299'],
  ['imageMogr2/thumbnail/900x900%3E', '640x428', '428x640'],
  ['imageMogr2/thumbnail/900x900%3C', '900x602', '602x900'],
  ['imageMogr2/thumbnail/200x300%3C', '640x428', '428x640'],
  ['imageMogr2/thumbnail/68480@', '320x214', '214x320'],
  ['imageMogr2/crop/300x', '300x428', '300x640'],
  ['imageMogr2/crop/x200', '640x200', '428x200'],
  ['imageMogr2/crop/!300x300a30a100', '300x300', '300x300'],
  ['imageMogr2/crop/!300x300-30a100', '270x300', '270x300'],
  ['imageMogr2/crop/!300x300-30-100', '270x200', '270x200'],
  ['imageMogr2/crop/!300x300a600a0', '40x300', null],
  ['imageMogr2/rotate/90', '428x640', '640x428'],
  ['imageMogr2/rotate/180', '640x428', '428x640'],
  ['imageMogr2/thumbnail/200x|imageMogr2/crop/100x100', '100x100', '100x100'],
  ['imageMogr2/crop/100x100/thumbnail/50x/crop/20x', '20x50', '20x50'],
  ['imageMogr2/crop/400x400/thumbnail/!50p/crop/100x/rotate/90/crop/x50', '200x50', '200x50'],
  ['imageMogr2/thumbnail/200x/blur/3x5/crop/100x/sharpen/1/rotate/90/blur/3x5', '134x100', '299x100'],
])('renders %s as %s from a landscape picture, as %s from a portrait one', async (query, ofWide, ofTall) => {
  expect(await sizeOf(wide, query)).toBe(ofWide)
  if (ofTall) expect(await sizeOf(tall, query)).toBe(ofTall)
})

it('rotates a picture by an angle onto a white background in its bounding box', async () => {
  const { bytes } = await render(
    await sharp({ create: { width: 80, height: 80, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
    'imageMogr2/rotate/45',
  )
  const { width, height } = await sharp(bytes).metadata()
  expect(width).toBeGreaterThan(110)
  expect(height).toBeGreaterThan(110)
  expect(await corners(bytes)).toEqual(['white', 'white', 'white', 'white'])
})

it.each([
  ['imageMogr2/crop/100x100', ['red', 'red', 'red', 'red']],
  ['imageMogr2/gravity/NorthEast/crop/100x100', ['lime', 'lime', 'lime', 'lime']],
  ['imageMogr2/gravity/SouthWest/crop/100x100', ['blue', 'blue', 'blue', 'blue']],
  ['imageMogr2/gravity/SouthEast/crop/100x100', ['white', 'white', 'white', 'white']],
  ['imageMogr2/gravity/Center/crop/100x100', ['red', 'lime', 'blue', 'white']],
  ['imageMogr2/gravity/SouthEast/crop/!100x100a400a300', ['red', 'red', 'red', 'red']],
  ['imageMogr2/crop/!100x100a400a300', ['white', 'white', 'white', 'white']],
  ['imageMogr2/rotate/90', ['blue', 'red', 'white', 'lime']],
  ['imageMogr2/rotate/-90', ['lime', 'white', 'red', 'blue']],
  ['imageView2/1/w/100/h/100', ['red', 'lime', 'blue', 'white']],
])('crops the right part for %s', async (query, expected) => {
  expect(await corners((await render(wide, query)).bytes)).toEqual(expected)
})

it('mixes neighboring pixels with a blur, more of them with a wider one', async () => {
  const stripe = async (query: string) => {
    const { bytes } = await render(wide, query)
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
    const [at, mixed] = [50 * info.width * info.channels, new Set<number>()]
    for (let x = 0; x < info.width; x++) mixed.add(data[at + x * info.channels]!)
    return mixed.size
  }
  const none = await stripe('imageMogr2/format/png')
  const little = await stripe('imageMogr2/blur/3x2/format/png')
  expect(little).toBeGreaterThan(none)
  expect(await stripe('imageMogr2/blur/40x20/format/png')).toBeGreaterThan(little)
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('auto-orients imageView2 for EXIF orientation %i', async (orientation) => {
  const held = await turnedFile(orientation)
  const { bytes } = await render(held, 'imageView2/2/w/300')
  expect(await corners(bytes)).toEqual(['red', 'lime', 'blue', 'white'])
  const { width, height, orientation: left } = await sharp(bytes).metadata()
  expect([width, height, left]).toEqual([300, 200, undefined])
})

it.each([2, 3, 4, 5, 6, 7, 8])('auto-orients after other steps for EXIF orientation %i', async (orientation) => {
  const { bytes } = await render(await turnedFile(orientation), 'imageMogr2/thumbnail/!50p/auto-orient')
  expect(await corners(bytes)).toEqual(['red', 'lime', 'blue', 'white'])
})

it('keeps the EXIF orientation and no other metadata without auto-orient', async () => {
  const held = await turnedFile(6)
  expect(held.includes('Somebody')).toBe(true)
  for (const query of ['imageMogr2/thumbnail/100x', 'imageMogr2/format/webp', 'imageMogr2/quality/50']) {
    const { bytes } = await render(held, query)
    expect((await sharp(bytes).metadata()).orientation).toBe(6)
    expect(bytes.includes('Somebody')).toBe(false)
  }
  expect((await metadataOf(held, 'imageMogr2/thumbnail/100x')).width).toBe(100)
  expect((await metadataOf(held, 'imageMogr2/strip/thumbnail/100x')).orientation).toBeUndefined()
})

it.each(['imageView2/2/w/100', 'imageView2/2', 'imageMogr2/strip', 'imageMogr2/auto-orient'])(
  'keeps no metadata for %s',
  async (query) => {
    const { bytes } = await render(await turnedFile(6), query)
    const { exif, xmp, icc, orientation } = await sharp(bytes).metadata()
    expect([exif, xmp, icc, orientation]).toEqual([undefined, undefined, undefined, undefined])
  },
)

/** Upright it is 600 × 400: red, green, blue, white. */
async function turnedFile(orientation: number): Promise<Buffer> {
  const back = [0, 0, 0, 180, 180, 90, 270, 270, 90][orientation]!
  const upright = await quarters(600, 400).png().toBuffer()
  const stored = await sharp(upright).rotate(back).png().toBuffer()
  const mirrored = [2, 4, 5, 7].includes(orientation) ? await sharp(stored).flop().png().toBuffer() : stored
  return await sharp(mirrored)
    .jpeg()
    .withMetadata({ orientation, exif: { IFD0: { Artist: 'Somebody' } } })
    .toBuffer()
}

it.each([
  ['jpg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['avif', 'heif'],
] as const)('writes format/%s', async (format, found) => {
  const { bytes, contentType } = await render(wide, `imageView2/2/w/64/format/${format}`)
  expect((await sharp(bytes).metadata()).format).toBe(found)
  expect(contentType).toBe(`image/${format === 'jpg' ? 'jpeg' : format}`)
})

it.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
  'keeps the format %s when the request names none',
  async (format) => {
    const bytes = await quarters(64, 64).toFormat(format).toBuffer()
    expect((await render(bytes, 'imageView2/2/w/32')).contentType).toBe(`image/${format}`)
  },
)

it('converts TIFF, which browsers do not show, to JPEG, or to PNG if it is transparent', async () => {
  const tiff = await quarters(64, 64).tiff().toBuffer()
  expect((await render(tiff, 'imageView2/2/w/32')).contentType).toBe('image/jpeg')
  const transparent = await sharp(tiff).ensureAlpha(0.5).tiff({ compression: 'lzw' }).toBuffer()
  expect((await render(transparent, 'imageView2/2/w/32')).contentType).toBe('image/png')
})

it('keeps transparency, which becomes white in JPEG', async () => {
  const glass = await sharp({ create: { width: 64, height: 64, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  expect((await metadataOf(glass, 'imageView2/2/w/32')).hasAlpha).toBe(true)
  const { bytes } = await render(glass, 'imageView2/2/w/32/format/jpg')
  expect(await corners(bytes)).toEqual(['white', 'white', 'white', 'white'])
})

it.each([
  ['grey', (picture: Sharp) => picture.toColourspace('b-w')],
  ['of 16 bits', (picture: Sharp) => picture.toColourspace('rgb16')],
  ['half transparent', (picture: Sharp) => picture.ensureAlpha(0.5)],
  ['grey and half transparent', (picture: Sharp) => picture.toColourspace('b-w').ensureAlpha(0.5)],
])('keeps the colors of a picture that is %s over several passes', async (_, made) => {
  const pixel = async (bytes: Buffer) =>
    await sharp(bytes)
      .toColourspace('srgb')
      .ensureAlpha()
      .extract({ left: 5, top: 5, width: 1, height: 1 })
      .raw()
      .toBuffer()
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: { r: 200, g: 100, b: 50 } } })
  const source = await made(picture).png().toBuffer()
  const { bytes } = await render(source, 'imageMogr2/thumbnail/32x/rotate/90/thumbnail/16x/blur/3x1/rotate/180')
  const [before, after] = [await pixel(source), await pixel(bytes)]
  for (const [at, value] of before.entries()) expect(Math.abs(after[at]! - value)).toBeLessThan(7)
})

it('writes a smaller file for a lower quality, and a progressive one for interlace', async () => {
  const noise = await sharp({
    create: {
      width: 200,
      height: 200,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .png()
    .toBuffer()
  const size = async (query: string) => (await render(noise, query)).bytes.length
  expect(await size('imageView2/2/q/20/format/jpg')).toBeLessThan(await size('imageView2/2/q/90/format/jpg'))
  expect(await size('imageMogr2/quality/20/format/webp')).toBeLessThan(await size('imageMogr2/quality/90/format/webp'))
  expect((await metadataOf(noise, 'imageView2/2/format/jpg/interlace/1')).isProgressive).toBe(true)
  expect((await metadataOf(noise, 'imageView2/2/format/jpg')).isProgressive).toBe(false)
})

it('converts a CMYK picture to RGB', async () => {
  const print = await quarters(64, 64).toColourspace('cmyk').jpeg().toBuffer()
  expect((await sharp(print).metadata()).space).toBe('cmyk')
  expect((await metadataOf(print, 'imageView2/2/w/32')).space).toBe('srgb')
})

async function animation(frames: number, format: 'gif' | 'webp' = 'gif'): Promise<Buffer> {
  const pictures = await Promise.all(
    Array.from({ length: frames }, (_, at) =>
      sharp({ create: { width: 60, height: 40, channels: 3, background: { r: (at * 25) % 256, g: 90, b: 0 } } })
        .png()
        .toBuffer(),
    ),
  )
  const joined = sharp(pictures, { join: { animated: true } })
  const options = { delay: pictures.map((_, at) => 100 + at * 10), loop: 3 }
  return await (format === 'gif' ? joined.gif(options) : joined.webp({ ...options, lossless: true })).toBuffer()
}

it.each([
  ['gif', 'imageView2/2/w/30', 'gif'],
  ['gif', 'imageView2/1/w/20/h/20', 'gif'],
  ['gif', 'imageMogr2/auto-orient/thumbnail/30x/crop/20x20/blur/3x5', 'gif'],
  ['gif', 'imageView2/2/w/30/format/webp', 'webp'],
  ['webp', 'imageView2/2/w/30', 'webp'],
  ['webp', 'imageView2/2/w/30/format/gif', 'gif'],
] as const)('processes all frames of a %s for %s and keeps their timing', async (from, query, to) => {
  const { bytes } = await render(await animation(4, from), query)
  const { pages, delay, loop, format, width } = await sharp(bytes).metadata()
  expect({ pages, delay, loop, format }).toEqual({ pages: 4, delay: [100, 110, 120, 130], loop: 3, format: to })
  expect(width).toBeLessThanOrEqual(30)
})

it('does not mix the frames of an animation', async () => {
  const frame = (background: string) =>
    sharp({ create: { width: 40, height: 40, channels: 3, background } })
      .png()
      .toBuffer()
  const frames = await Promise.all(['red', 'blue'].map(frame))
  const source = await sharp(frames, { join: { animated: true } })
    .gif({ delay: 100 })
    .toBuffer()
  const { bytes } = await render(source, 'imageMogr2/thumbnail/20x/blur/20x10/sharpen/1')
  for (const [page, colour] of (['red', 'blue'] as const).entries()) {
    const shown = await sharp(bytes, { page }).png().toBuffer()
    // Scaling mixes in a little of the neighboring frame at the edge; a blur would mix in half of it.
    const { channels } = await sharp(shown).stats()
    expect(Math.max(...channels.map(({ min, max }) => max - min))).toBeLessThan(40)
    expect(await corners(shown)).toEqual([colour, colour, colour, colour])
  }
})

it.each([
  ['into a format without frames', 'imageView2/2/w/30/format/jpg', {}],
  ['turned', 'imageMogr2/rotate/90', {}],
  ['in more than one pass', 'imageMogr2/crop/20x20/thumbnail/10x', {}],
  ['with more frames than allowed', 'imageView2/2/w/30', { frames: 3 }],
  ['with more pixels than allowed', 'imageView2/2/w/30', { sourcePixels: 9000 }],
])('uses only the first frame of an animation %s', async (_, query, limits) => {
  expect((await metadataOf(await animation(4), query, limits)).pages ?? 1).toBe(1)
})

it.each([
  ['jpeg', { format: 'jpeg', colorModel: 'ycbcr' }],
  ['png', { format: 'png', colorModel: 'rgba' }],
  ['webp', { format: 'webp', colorModel: 'ycbcr' }],
  ['gif', { format: 'gif', frameNumber: 1, colorModel: expect.stringMatching(/^palette/) }],
] as const)('returns imageInfo of %s', async (format, expected) => {
  const bytes = await quarters(64, 32).removeAlpha().toFormat(format).toBuffer()
  const answer = await render(bytes, 'imageInfo')
  expect(answer.contentType).toBe('application/json')
  expect(JSON.parse(answer.bytes.toString())).toEqual({ size: bytes.length, width: 64, height: 32, ...expected })
})

it('returns the orientation and the number of frames in imageInfo', async () => {
  const info = async (bytes: Buffer) => JSON.parse((await render(bytes, 'imageInfo')).bytes.toString())
  expect(await info(await turnedFile(6))).toMatchObject({ width: 400, height: 600, orientation: 'Right-top' })
  expect(await info(await animation(4))).toMatchObject({ width: 60, height: 40, frameNumber: 4 })
})

function pngOf(width: number, height: number, content: Buffer): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', content), chunk('IEND', Buffer.alloc(0))])
}

const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><text y="9">&secret;</text></svg>`
const noise = await sharp({
  create: {
    width: 400,
    height: 400,
    channels: 3,
    background: 'red',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
})
  .jpeg()
  .toBuffer()

it.each([
  ['a PNG whose header says 60000 × 60000 pixels', pngOf(60_000, 60_000, Buffer.alloc(64)), 400, /pixels/],
  [
    'a PNG with a side of two thousand million',
    pngOf(2_000_000_000, 2_000_000_000, Buffer.alloc(64)),
    400,
    /damaged|pixels/,
  ],
  ['a PNG without pixels', pngOf(100, 100, Buffer.alloc(64)), 400, /damaged/],
  ['a JPEG that ends in the middle', noise.subarray(0, noise.length / 2), 400, /damaged/],
  ['a JPEG of three bytes', noise.subarray(0, 3), 400, /damaged/],
  ['a GIF of its name alone', Buffer.from('GIF89a'), 400, /damaged/],
  ['a WebP of its name alone', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), 400, /damaged/],
  ['an AVIF of its name alone', Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1', 'latin1'), 400, /damaged/],
  ['a TIFF that leads to itself', Buffer.from('II*\0\x08\0\0\0\0\0\x08\0\0\0', 'latin1'), 400, /damaged/],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 415, /must be a picture in/],
  ['SVG', Buffer.from(svg), 415, /must be a picture in JPEG/],
  ['SVG after a byte order mark', Buffer.from(`\ufeff${svg}`), 415, /must be a picture in JPEG/],
  [
    'SVG after a PNG signature',
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(svg)]),
    400,
    /damaged/,
  ],
  ['PDF', Buffer.from('%PDF-1.7'), 415, /must be a picture in/],
  ['nothing', Buffer.alloc(0), 415, /must be a picture in/],
])('rejects %s', async (_, bytes, status, text) => {
  const refused = await render(bytes, 'imageView2/2/w/10').catch((error) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused.message).toMatch(text)
  expect(refused.status).toBe(status)
})

it('disables SVG in the image library', async () => {
  await expect(sharp(Buffer.from(svg)).png().toBuffer()).rejects.toThrow('unsupported')
})

it.each([
  ['imageMogr2/thumbnail/10000x', /9999 pixels a side/],
  ['imageMogr2/thumbnail/!1000p', /24999999 in total/],
  ['imageMogr2/thumbnail/!1000p/crop/10x10', /24999999 in total/],
  ['imageMogr2/thumbnail/6000x|imageMogr2/rotate/45', /pixels/],
  ['imageMogr2/thumbnail/9000x2000!/format/avif', /7680000 in total/],
  ['imageMogr2/crop/!10x10a700a0', /^crop .* must overlap the picture/],
  ['imageMogr2/crop/!10x10-10a0', /^crop .* must overlap the picture/],
])('rejects %s, whose result is too large or empty', async (query, text) => {
  await expect(render(wide, query)).rejects.toThrow(text)
})

it.each(['imageMogr2/thumbnail/6000x|imageMogr2/rotate/45', 'imageMogr2/thumbnail/3000x/rotate/45/crop/!10x10a9000a0'])(
  'refuses %s before it reads the pixels of the picture',
  async (query) => {
    const admit = vi.fn(async () => () => {})
    const rendered = renderPicture({ bytes: wide }, parsePictureRequest(query)!, PICTURE_LIMITS, undefined, admit)
    await expect(rendered).rejects.toMatchObject({ status: 400 })
    expect(admit).not.toHaveBeenCalled()
  },
)

it('rejects sources that exceed the maximum bytes or pixels', async () => {
  await expect(render(wide, 'imageView2/2/w/9', { sourceBytes: wide.length - 1 })).rejects.toThrow('bytes')
  await expect(render(wide, 'imageView2/2/w/9', { sourcePixels: 640 * 428 - 1 })).rejects.toThrow('pixels')
  await expect(
    render(wide, 'imageView2/2/w/9', { sourceBytes: wide.length, sourcePixels: 640 * 428 }),
  ).resolves.toBeDefined()
})

it('stops when the time limit is reached', async () => {
  await expect(render(wide, 'imageView2/2/w/9', { seconds: 0 })).rejects.toMatchObject({ status: 400, code: 124 })
})

it('stops and throws the reason when its signal aborts', async () => {
  const reason = new Error('enough')
  const given = renderPicture(
    { bytes: wide },
    parsePictureRequest('imageView2/2/w/9')!,
    PICTURE_LIMITS,
    AbortSignal.abort(reason),
  )
  await expect(given).rejects.toBe(reason)
})
