import { errors } from '../../errors.ts'
import type { OutputFormat } from './picture-steps.ts'

/** The longest side that may be asked for, in pixels. */
const LONGEST = 10_000

const FORMATS: ReadonlyMap<string, OutputFormat> = new Map([
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['avif', 'avif'],
])

/**
 * A whole number.
 * @param name the parameter, for the error
 * @throws ApiError 400 when it is none, or outside `least` to `most`
 */
export function wholeNumber(name: string, text: string | undefined, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) {
    throw errors.badArgument(`${name} of a picture request must be a whole number of ${least} to ${most}.`)
  }
  return value
}

/**
 * A side in pixels; null where it is left out or 0, which both say that the other side decides.
 * @throws ApiError 400
 */
export function side(name: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  return wholeNumber(name, text, 0, LONGEST) || null
}

/** @throws ApiError 400 when nothing is written in that format */
export function outputFormat(text: string): OutputFormat {
  const format = FORMATS.get(text.toLowerCase())
  if (!format) {
    throw errors.badArgument(`format of a picture request must be one of ${[...FORMATS.keys()].join(', ')}.`)
  }
  return format
}

/** @throws ApiError 400 when it is neither `0` nor `1` */
export function flag(name: string, text: string): boolean {
  return wholeNumber(name, text, 0, 1) === 1
}
