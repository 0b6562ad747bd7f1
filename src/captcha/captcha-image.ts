import { PNG } from 'pngjs'
import { GLYPH_HEIGHT, GLYPH_WIDTH, type Glyph, glyphOf } from './captcha-font.ts'
import { unguessable } from './captcha-text.ts'

type Color = readonly [red: number, green: number, blue: number]

const PAPER: Color = [244, 245, 240]
/** Each is dark enough to be legible on the paper color. */
const INKS: readonly Color[] = [
  [31, 58, 122],
  [120, 32, 40],
  [24, 92, 60],
  [88, 40, 112],
  [110, 66, 16],
]
/** Fraction of the width that stays free at either side, so that tilted characters are not cut off. */
const MARGIN = 0.04
/** Maximum size of a character, as a fraction of its cell's width and of the image's height. */
const FILL = { width: 0.86, height: 0.72 }
/** Maximum vertical stretch of a character, when many characters are narrow. */
const STRETCH = 1.4
/** Maximum tilt to either side in radians. */
const TILT = 0.25
/** Fraction of ink around a point that makes the point ink; below one half, strokes grow and diagonals stay connected. */
const THRESHOLD = 0.4

/** Filters would make the file a quarter smaller and drawing a third slower. */
const NO_FILTER = 0

/** The image, and the source of randomness. */
interface Sheet {
  readonly image: PNG
  readonly random: () => number
}

/**
 * Draws a captcha (protocol/accounts, Captchas).
 * @param text 3 to 6 characters of `CAPTCHA_ALPHABET`
 * @param width 60 to 200 pixels
 * @param height 30 to 100 pixels
 * @param random numbers from 0 up to 1
 * @returns a PNG file
 */
export function drawCaptcha(text: string, width: number, height: number, random = unguessable): Buffer {
  const image = new PNG({ width, height })
  const sheet = { image, random }
  image.data.fill(Buffer.from([...PAPER, 255]))
  drawDots(sheet)
  drawCurve(sheet)
  const margin = width * MARGIN
  const cell = (width - 2 * margin) / text.length
  for (const [index, character] of [...text].entries()) {
    drawCharacter(sheet, glyphOf(character), cell, margin + (index + 0.5) * cell)
  }
  drawCurve(sheet)
  return PNG.sync.write(image, { colorType: 2, filterType: NO_FILTER })
}

/** Draws a character around `middle`, with random size, tilt and height. Each pixel is mapped back to a position in the glyph. */
function drawCharacter(sheet: Sheet, glyph: Glyph, cell: number, middle: number): void {
  const { height } = sheet.image
  const size = between(sheet, 0.88, 1)
  const [room, tallest] = [(cell * FILL.width) / GLYPH_WIDTH, (height * FILL.height) / GLYPH_HEIGHT]
  const wide = size * Math.min(room, tallest)
  const tall = size * Math.min(room * STRETCH, tallest)
  const tilt = between(sheet, -TILT, TILT)
  const [sine, cosine] = [Math.sin(tilt), Math.cos(tilt)]
  const centre = {
    x: middle + between(sheet, -0.04, 0.04) * cell,
    y: height / 2 + between(sheet, -0.5, 0.5) * (height - GLYPH_HEIGHT * tall) * 0.6,
  }
  const ink = anyInk(sheet)
  const reach = Math.hypot(GLYPH_WIDTH * wide, GLYPH_HEIGHT * tall) * 0.6
  for (let y = Math.max(0, Math.floor(centre.y - reach)); y <= Math.min(height - 1, centre.y + reach); y++) {
    for (let x = Math.floor(centre.x - reach); x <= centre.x + reach; x++) {
      const right = x + 0.5 - centre.x
      const down = y + 0.5 - centre.y
      const column = (right * cosine + down * sine) / wide + (GLYPH_WIDTH - 1) / 2
      const row = (down * cosine - right * sine) / tall + (GLYPH_HEIGHT - 1) / 2
      paint(sheet, x, y, ink, (inkAt(glyph, column, row) - THRESHOLD) * wide + 0.5)
    }
  }
}

/** Interpolates the ink between the bits of a glyph, from 0 to 1, from the four bits around the point. */
function inkAt(glyph: Glyph, column: number, row: number): number {
  const left = Math.floor(column)
  const top = Math.floor(row)
  // Most points are outside the glyph.
  if (left < -1 || top < -1 || left >= GLYPH_WIDTH || top >= GLYPH_HEIGHT) return 0
  const right = column - left
  const down = row - top
  const above = bitAt(glyph, top, left) * (1 - right) + bitAt(glyph, top, left + 1) * right
  const below = bitAt(glyph, top + 1, left) * (1 - right) + bitAt(glyph, top + 1, left + 1) * right
  return above * (1 - down) + below * down
}

function bitAt(glyph: Glyph, row: number, column: number): number {
  return glyph[row]?.[column] ?? 0
}

/** Draws a wave from edge to edge, thinner than the strokes of the characters that it crosses. */
function drawCurve(sheet: Sheet): void {
  const { width, height } = sheet.image
  const ink = anyInk(sheet)
  const level = between(sheet, 0.3, 0.7) * height
  const swing = between(sheet, 0.08, 0.22) * height
  const length = between(sheet, 0.5, 1.2) * width
  const start = between(sheet, 0, length)
  const thickness = Math.max(1, height / 40)
  for (let x = 0; x < width; x++) {
    const middle = level + swing * Math.sin(((x + start) / length) * 2 * Math.PI)
    for (let y = Math.floor(middle - thickness); y <= middle + thickness; y++) {
      paint(sheet, x, y, ink, 0.75 * (thickness / 2 + 0.5 - Math.abs(y + 0.5 - middle)))
    }
  }
}

function drawDots(sheet: Sheet): void {
  const { width, height } = sheet.image
  for (let dots = (width * height) / 30; dots > 0; dots--) {
    const [x, y] = [Math.floor(sheet.random() * width), Math.floor(sheet.random() * height)]
    paint(sheet, x, y, anyInk(sheet), between(sheet, 0.2, 0.7))
  }
}

/**
 * Blends ink into a pixel; ignores points outside the image.
 * @param cover fraction of the pixel that is covered, 0 to 1
 */
function paint({ image }: Sheet, x: number, y: number, ink: Color, cover: number): void {
  if (cover <= 0 || x < 0 || y < 0 || x >= image.width || y >= image.height) return
  const offset = (y * image.width + x) * 4
  const part = Math.min(1, cover)
  for (let channel = 0; channel < ink.length; channel++) {
    const below = image.data[offset + channel]!
    image.data[offset + channel] = Math.round(below + (ink[channel]! - below) * part)
  }
}

function anyInk({ random }: Sheet): Color {
  return INKS[Math.floor(random() * INKS.length)]!
}

function between({ random }: Sheet, min: number, max: number): number {
  return min + random() * (max - min)
}
