import { type Notice, notice } from '../../notices/notice.ts'
import type { ComparedBoards } from './compare-boards.ts'
import type { ComparedSchema } from './compare-schema.ts'
import type { Tallied } from './tally.ts'

interface Compared {
  readonly tallied: ReadonlyMap<string, Tallied>
  readonly schema: ComparedSchema
  readonly boards: ComparedBoards
  readonly remarks: readonly Notice[]
}

/** Returns remarks that are not faults: about classes, leaderboards, and records that cannot be distinguished. */
export function remarksOf({ tallied, schema, boards, remarks }: Compared): Notice[] {
  const nameless = [...tallied].flatMap(([name, row]) =>
    row.nameless > 0 ? [notice('recordsWithoutId', { records: row.nameless, name })] : [],
  )
  const repeated = [...tallied].flatMap(([name, row]) =>
    row.repeated > 0 ? [notice('recordsRepeated', { records: row.repeated, name })] : [],
  )
  return [...schema.notes, ...boards.notes, ...remarks, ...nameless, ...repeated]
}
