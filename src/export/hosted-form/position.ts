import { errors } from '../../errors.ts'

/** The position in the export of an app from which it continues. */
export interface ExportPosition {
  /** The name of a section of the archive; sections with smaller names are complete. */
  readonly section: string
  /** The number of its next part. */
  readonly part: number
  /** The key of the last exported record of the section; null when there is none yet. */
  readonly after: readonly string[] | null
}

export const BEGINNING: ExportPosition = { section: '', part: 0, after: null }

/** Maximum length of a position as text, in characters: two ids, or a message's thread, time and id. */
const MAX_TEXT = 4000

/** @throws ApiError 1 when the text is not a position as an export reports it */
export function parsePosition(text: string): ExportPosition {
  const value = text.length <= MAX_TEXT ? parsed(text) : null
  if (!isPosition(value)) throw errors.badArgument("'from' must be the `place` returned by an export.")
  const { section, part, after } = value
  return { section, part, after }
}

function isPosition(value: unknown): value is ExportPosition {
  if (typeof value !== 'object' || value === null) return false
  const { section, part, after } = value as Record<string, unknown>
  const isKey = after === null || (Array.isArray(after) && after.length <= 5 && after.every(isStorable))
  return isStorable(section) && Number.isSafeInteger(part) && Number(part) >= 0 && Number(part) < 1e9 && isKey
}

/** Returns whether PostgreSQL can store the string. */
function isStorable(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
