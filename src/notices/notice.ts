import type { ValuesOf } from './catalog.ts'
import type { ENGLISH } from './english.ts'

/**
 * A sentence of a report as data: a code of the catalog with its values, as JSON. Its text is made where people read it, in their
 * language (`fill-in.ts`).
 */
export interface Notice {
  readonly code: string
  readonly [value: string]: NoticeValue
}

/** What a notice says something of: a name, a number, another notice, or a list of these. */
export type NoticeValue = string | number | Notice | readonly (string | number | Notice)[]

export type NoticeCode = keyof typeof ENGLISH
type ValuesOfCode<Code extends NoticeCode> = ValuesOf<(typeof ENGLISH)[Code], NoticeValue>

/** Makes a notice; the compiler checks its code and values against the catalog. */
export function notice<Code extends NoticeCode>(
  code: Code,
  ...[values]: keyof ValuesOfCode<Code> extends never ? [] : [values: ValuesOfCode<Code>]
): Notice {
  return { code, ...values }
}

/** Makes a notice of a text without a code, such as the error of another server, which is shown unchanged. */
export function textNotice(text: string): Notice {
  return notice('text', { text })
}

/** The preference (RFC 7240) of a client of the management API for errors with their `notice`. */
export const NOTICES = 'notices'

/** Characters that a notice may have as JSON, and how deeply notices may be nested. */
const MAX_LENGTH = 4000
const MAX_NESTING = 8

/** Whether a value that came from outside is a notice of bounded size. Its code may be that of another version. */
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

/** The form in which a notice is stored in a column of text. */
export function storedNotice(notice: Notice): string {
  return JSON.stringify(notice)
}

/** Reads a stored notice, also one of an earlier version, which stored English text. */
export function readNotice(stored: string): Notice {
  if (stored.startsWith('{"code":')) {
    try {
      const value: unknown = JSON.parse(stored)
      if (isNoticeWithin(value, Number.POSITIVE_INFINITY)) return value as Notice
    } catch {
      // It is a text that begins so.
    }
  }
  return textNotice(stored)
}

/** Puts the name of a file, class or part in front of what is said of it. */
export function at(where: string, what: Notice): Notice {
  return notice('at', { where, what })
}

/** The first items of a list, and how many more there are. */
export function firstOf(items: readonly string[], maximum: number): NoticeValue {
  const more = items.length - maximum
  return more > 0 ? notice('andMore', { listed: items.slice(0, maximum), more }) : items
}
