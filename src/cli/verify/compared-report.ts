import type { ComparedReport } from '../../moves/move-report.ts'
import { remarksOf } from './remarks.ts'
import { isSafe, type VerifyReport } from './report.ts'

/** Returns the report of a comparison as the console shows it. */
export function comparedReport(report: VerifyReport): ComparedReport {
  const { tallied, examples, notes, schema, boards, notRead, otherClasses } = report
  return {
    kind: 'compared',
    isSafe: isSafe(report),
    counts: [...tallied].map(([name, { there, here, same, verdicts }]) => ({
      name,
      there,
      here,
      same,
      missing: verdicts.missing ?? 0,
      differs: verdicts.differs ?? 0,
      onlyHere: verdicts['only here'] ?? 0,
      changed: Object.entries(verdicts).reduce((sum, [what, n]) => (what.endsWith('since') ? sum + n : sum), 0),
      unreadable: verdicts.unreadable ?? 0,
    })),
    examples: examples.map(({ class: name, objectId, what, field, there, here, reason }) => ({
      name,
      objectId,
      what,
      field: field ?? null,
      there: there ?? null,
      here: here ?? null,
      reason: reason ?? null,
    })),
    notes: Object.values(notes),
    schema: [...schema.faults, ...boards.faults],
    notRead,
    remarks: remarksOf(report),
    otherClasses,
  }
}
