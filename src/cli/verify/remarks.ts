import type { ComparedBoards } from './compare-boards.ts'
import type { ComparedSchema } from './compare-schema.ts'
import type { Tallied } from './tally.ts'

interface Compared {
  readonly tallied: ReadonlyMap<string, Tallied>
  readonly schema: ComparedSchema
  readonly boards: ComparedBoards
  readonly remarks: readonly string[]
}

/** What should be known, though it is no fault: of classes, of leaderboards, and of records that cannot be told apart. */
export function remarksOf({ tallied, schema, boards, remarks }: Compared): string[] {
  const nameless = [...tallied].flatMap(([name, row]) =>
    row.nameless > 0 ? [`${row.nameless} of ${name} have no objectId, so they were only counted`] : [],
  )
  const repeated = [...tallied].flatMap(([name, row]) =>
    row.repeated > 0 ? [`${row.repeated} of ${name} come more than once in the source`] : [],
  )
  return [...schema.notes, ...boards.notes, ...remarks, ...nameless, ...repeated]
}
