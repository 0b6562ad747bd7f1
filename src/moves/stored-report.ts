import { type Notice, textNotice } from '../notices/notice.ts'
import type { Outcome } from './move.ts'
import type { MoveReport } from './move-report.ts'

/** Members of reports that are lists of notices. */
const LISTS = ['notUnderstood', 'schema', 'remarks', 'faults', 'notRead'] as const
/** Members of reports that are lists of records, with the name of the notice in each record. */
const RECORDS = { reasons: 'reason', removed: 'refusal', examples: 'reason' } as const

/** Reads a stored outcome. Reports of earlier versions have English texts in place of notices, which are converted. */
export function readOutcome(stored: Outcome): Outcome {
  return stored.report ? { ...stored, report: readReport(stored.report) } : stored
}

function readReport(stored: MoveReport): MoveReport {
  const report: Record<string, unknown> = { ...stored }
  for (const name of LISTS) {
    const list = report[name]
    if (Array.isArray(list)) report[name] = list.map(noticeIn)
  }
  for (const [name, member] of Object.entries(RECORDS)) {
    const list = report[name]
    if (Array.isArray(list)) report[name] = list.map((one) => ({ ...one, [member]: noticeIn(one[member]) }))
  }
  if (Array.isArray(report.notes)) report.notes = report.notes.map(readNoted)
  return report as unknown as MoveReport
}

function readNoted({ text, ...noted }: { readonly text?: string }): object {
  return text === undefined ? noted : { notice: textNotice(text), ...noted }
}

function noticeIn(value: string | Notice | null): Notice | null {
  return typeof value === 'string' ? textNotice(value) : value
}
