import { errors } from '../../errors.ts'
import { flag, integerOf, outputFormat } from './parameter-values.ts'
import { parseCrop, parseGravity, parseThumbnail } from './parse-geometry.ts'
import type { CropStep, PictureOperation, PictureOutput, PictureStep } from './picture-steps.ts'

/**
 * Parses `imageMogr2/…` (protocol/files, Pictures). Operations on pixels are applied in the order of the request. Format, quality
 * and other output options apply to the result, wherever they appear.
 * @param words the segments between the slashes, without the name of the operation
 * @returns null for an unknown parameter
 * @throws ApiError 400 for an invalid value
 */
export function parseMogr(words: readonly string[]): PictureOperation | null {
  const steps: PictureStep[] = []
  const output: { -readonly [Key in keyof PictureOutput]?: PictureOutput[Key] } = {}
  let ignoreError = false
  let anchor: CropStep['anchor'] = { x: 0, y: 0 }
  for (let at = 0; at < words.length; at++) {
    const name = words[at]!
    if (name === 'auto-orient') {
      steps.push({ step: 'orient' })
      continue
    }
    if (name === 'strip') {
      output.strip = true
      continue
    }
    const value = words[++at]
    if (value === undefined) return null
    switch (name) {
      case 'thumbnail':
        steps.push(parseThumbnail(value))
        break
      case 'gravity':
        anchor = parseGravity(value)
        break
      case 'crop':
        steps.push(parseCrop(value, anchor))
        break
      case 'rotate':
        steps.push({ step: 'rotate', degrees: degrees(value) })
        break
      case 'blur':
        steps.push(blur(value))
        break
      case 'sharpen':
        if (flag(name, value)) steps.push({ step: 'sharpen' })
        break
      case 'format':
        output.format = outputFormat(value)
        break
      case 'quality':
        output.quality = integerOf(name, value.replace(/!$/, ''), 1, 100)
        break
      case 'interlace':
        output.progressive = flag(name, value)
        break
      case 'ignore-error':
        ignoreError = flag(name, value)
        break
      case 'size-limit':
      case 'colors':
        // These only ask for a smaller file, which the quality setting already controls.
        break
      default:
        return null
    }
  }
  return { steps, output, ignoreError }
}

/** Parses an angle. Returns degrees clockwise, 0 to 359. */
function degrees(text: string): number {
  const value = integerOf('rotate', text.replace(/^-/, ''), 0, 360)
  return (text.startsWith('-') ? 360 - value : value) % 360
}

function blur(text: string): PictureStep {
  const [, radius, sigma] = /^(\d{1,3})x(\d{1,4}(?:\.\d{1,4})?)$/.exec(text) ?? []
  if (!(Number(sigma) > 0)) throw errors.badArgument('blur of a picture request must be <radius>x<sigma>.')
  return { step: 'blur', radius: integerOf('the radius of blur', radius, 1, 50), sigma: Number(sigma) }
}
