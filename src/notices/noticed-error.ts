import { inEnglish } from './in-english.ts'
import { type Notice, textNotice } from './notice.ts'

/** An error whose message is also available as a notice, for reports in other languages. */
export class NoticedError extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(inEnglish(notice))
    this.notice = notice
  }
}

/** Returns the notice of an error, or its message as a notice when it has none. */
export function noticeOf(error: unknown): Notice {
  if (error instanceof Error && 'notice' in error && error.notice !== undefined) return error.notice as Notice
  return textNotice(error instanceof Error ? error.message : String(error))
}
