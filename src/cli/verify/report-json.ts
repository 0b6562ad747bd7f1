import { inEnglish } from '../../notices/in-english.ts'
import { comparedReport } from './compared-report.ts'
import { conclusion, isSafe, type VerifyReport, withTexts } from './report.ts'

/** Returns the report as JSON, with English texts and, in `data`, with notices. */
export function reportJson(report: VerifyReport): string {
  const { tallied, logins, examples, notes, schema, boards, notRead, remarks, otherClasses, sample } = report
  return JSON.stringify(
    {
      safe: isSafe(report),
      conclusion: conclusion(report),
      classes: Object.fromEntries(tallied),
      sample,
      examples: examples.map(withTexts),
      notes,
      schema: { faults: schema.faults.map(inEnglish), notes: schema.notes.map(inEnglish) },
      boards: { ...boards, faults: boards.faults.map(inEnglish), notes: boards.notes.map(inEnglish) },
      notRead: notRead.map(inEnglish),
      remarks: remarks.map(inEnglish),
      otherClasses,
      logins,
      data: comparedReport(report),
    },
    null,
    2,
  )
}
