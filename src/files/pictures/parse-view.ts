import { flag, integerOf, outputFormat, side } from './parameter-values.ts'
import type { PictureOperation, PictureOutput, ViewStep } from './picture-steps.ts'

type Mode = Pick<ViewStep, 'rule' | 'cut' | 'rotatesWithPicture'>

const MODES: Readonly<Record<string, Mode>> = {
  '0': { rule: 'inside', cut: false, rotatesWithPicture: true },
  '1': { rule: 'outside', cut: true, rotatesWithPicture: false },
  '2': { rule: 'inside', cut: false, rotatesWithPicture: false },
  '3': { rule: 'outside', cut: false, rotatesWithPicture: false },
  '4': { rule: 'outside', cut: false, rotatesWithPicture: true },
  '5': { rule: 'outside', cut: true, rotatesWithPicture: true },
}

/**
 * Parses `imageView2/<mode>/w/…/h/…` (protocol/files, Pictures), or the older `imageView`, which supports only modes 1 and 2 and
 * enlarges in mode 1.
 * @param words the segments between the slashes, without the name of the operation
 * @returns null for an unknown mode or parameter
 * @throws ApiError 400 for an invalid value
 */
export function parseView(words: readonly string[], isOlder: boolean): PictureOperation | null {
  const [modeName = '', ...pairs] = words
  const mode = Object.hasOwn(MODES, modeName) ? MODES[modeName]! : null
  if (!mode || (isOlder && modeName !== '1' && modeName !== '2')) return null
  if (pairs.length % 2 !== 0) return null

  let width: number | null = null
  let height: number | null = null
  let ignoreError = false
  const output: { -readonly [Key in keyof PictureOutput]?: PictureOutput[Key] } = {}
  for (let at = 0; at < pairs.length; at += 2) {
    const value = pairs[at + 1]!
    switch (pairs[at]) {
      case 'w':
        width = side('w', value)
        break
      case 'h':
        height = side('h', value)
        break
      case 'q':
        output.quality = integerOf('q', value.replace(/!$/, ''), 1, 100)
        break
      case 'format':
        output.format = outputFormat(value)
        break
      case 'interlace':
        output.progressive = flag('interlace', value)
        break
      case 'ignore-error':
        ignoreError = flag('ignore-error', value)
        break
      case 'colors':
        // The maximum number of colors of a GIF is ignored: every viewer can display a full palette.
        break
      default:
        return null
    }
  }
  const box = { width, height }
  const view: ViewStep = { step: 'view', ...mode, mayEnlarge: isOlder && mode.cut, ...box }
  const hasBox = width !== null || height !== null
  return { steps: [{ step: 'orient' }, ...(hasBox ? [view] : [])], output, ignoreError }
}
