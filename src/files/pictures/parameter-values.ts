import { errors } from '../../errors.ts'
import type { OutputFormat } from './picture-steps.ts'

/** Maximum length of a requested side in pixels. */
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
 * Parses a whole number.
 * @param name the parameter, for the error
 * @throws ApiError 400 when it is not a whole number from `min` to `max`
 */
export function integerOf(name: string, text: string | undefined, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw errors.badArgument(`${name} of a picture request must be a whole number of ${min} to ${max}.`)
  }
  return value
}

/**
 * Parses a side in pixels. Returns null when it is omitted or 0, so that the other side decides.
 * @throws ApiError 400
 */
export function side(name: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null
  return integerOf(name, text, 0, LONGEST) || null
}

/** Parses an output format. @throws ApiError 400 when it is not supported */
export function outputFormat(text: string): OutputFormat {
  const format = FORMATS.get(text.toLowerCase())
  if (!format) {
    throw errors.badArgument(`format of a picture request must be one of ${[...FORMATS.keys()].join(', ')}.`)
  }
  return format
}

/** Parses a flag. @throws ApiError 400 when it is neither `0` nor `1` */
export function flag(name: string, text: string): boolean {
  return integerOf(name, text, 0, 1) === 1
}
