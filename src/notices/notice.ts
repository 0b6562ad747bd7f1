import type { ValuesOf } from './catalog.ts'
import type { ENGLISH } from './english.ts'

/**
 * A sentence of a report as data: a code of the catalog with its values, as JSON. It becomes text where it is displayed, in the
 * reader's language (`fill-in.ts`).
 */
export interface Notice {
  readonly code: string
  readonly [value: string]: NoticeValue
}

/** A value of a notice: a name, a number, another notice, or a list of these. */
export type NoticeValue = string | number | Notice | readonly (string | number | Notice)[]

export type NoticeCode = keyof typeof ENGLISH
type ValuesOfCode<Code extends NoticeCode> = ValuesOf<(typeof ENGLISH)[Code], NoticeValue>

/** Creates a notice; the compiler checks its code and values against the catalog. */
export function notice<Code extends NoticeCode>(
  code: Code,
  ...[values]: keyof ValuesOfCode<Code> extends never ? [] : [values: ValuesOfCode<Code>]
): Notice {
  return { code, ...values }
}

/** Wraps a text without a code, such as the error of another server, in a notice. It is shown unchanged. */
export function textNotice(text: string): Notice {
  return notice('text', { text })
}

/** The preference (RFC 7240) by which a client of the management API requests errors with their `notice`. */
export const NOTICES = 'notices'

/** Maximum length of a notice as JSON in characters, and maximum nesting of notices. */
const MAX_LENGTH = 4000
const MAX_NESTING = 8

/** Returns whether a value from outside is a notice of bounded size. Its code may be from another version. */
export function isNotice(value: unknown): value is Notice {
  return isNoticeWithin(value, MAX_NESTING) && JSON.stringify(value).length <= MAX_LENGTH
}

function isNoticeWithin(value: unknown, nesting: number): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || nesting === 0) return false
  if (!('code' in value) || typeof value.code !== 'string') return false
  return Object.values(value).every((one) =>
    Array.isArray(one) ? one.every((item) => isValue(item, nesting)) : isValue(one, nesting),
  )
}

function isValue(value: unknown, nesting: number): boolean {
  return typeof value === 'string' || typeof value === 'number' || isNoticeWithin(value, nesting - 1)
}

/** Encodes a notice for a text column. */
export function storedNotice(notice: Notice): string {
  return JSON.stringify(notice)
}

/** Reads a stored notice. Earlier versions stored English text, which becomes a `text` notice. */
export function readNotice(stored: string): Notice {
  if (stored.startsWith('{"code":')) {
    try {
      const value: unknown = JSON.parse(stored)
      if (isNoticeWithin(value, Number.POSITIVE_INFINITY)) return value as Notice
    } catch {
      // The text only starts like a notice.
    }
  }
  return textNotice(stored)
}

/** Prefixes a notice with the name of the file, class or part that it is about. */
export function at(where: string, what: Notice): Notice {
  return notice('at', { where, what })
}

/** Returns the first items of a list and the number of omitted items. */
export function firstOf(items: readonly string[], maximum: number): NoticeValue {
  const more = items.length - maximum
  return more > 0 ? notice('andMore', { listed: items.slice(0, maximum), more }) : items
}
