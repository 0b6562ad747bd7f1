import type { Notice } from '../notices/notice.ts'
/** The result of an action as data, which a page can show in any language. */
export type MoveReport = ImportReport | ForecastReport | ComparedReport

/** A change or remark about records: how often it occurred, and the first examples. */
export interface Noted {
  readonly notice: Notice
  readonly count: number
  readonly examples: readonly string[]
}

/** The result of an import or a pull, or of a dry run of an import from files. */
export interface ImportReport {
  readonly kind: 'brought'
  readonly dryRun: boolean
  /** By class, by class and relation field, or by another kind of data that is counted separately. */
  readonly counts: readonly {
    readonly name: string
    readonly read: number
    readonly created: number
    readonly updated: number
    readonly existing: number
    readonly rejected: number
    /** Objects that this app has now; null where they are not counted. */
    readonly here: number | null
  }[]
  readonly notes: readonly Noted[]
  /** Why records were rejected. */
  readonly reasons: readonly { readonly name: string; readonly reason: Notice; readonly count: number }[]
  /** Files or parts of the source that could not be read. */
  readonly notUnderstood: readonly Notice[]
  /** Parts of the schema that were skipped or could not be applied; absent in reports of older versions. */
  readonly schema?: readonly Notice[] | undefined
  /** Classes that the import created, and the file each is named after; absent in reports of older versions. */
  readonly newClasses?: readonly { readonly name: string; readonly file: string }[] | undefined
  readonly remarks: readonly Notice[]
  /** Objects that were deleted at the source. */
  readonly removed: readonly {
    readonly name: string
    readonly removed: number
    /** Objects that were kept because they were changed here later. */
    readonly kept: number
    /** Why nothing was removed; null otherwise. */
    readonly refusal: Notice | null
  }[]
  /** URLs in texts that now start with `base`; null when they were not rewritten. */
  readonly rewritten: {
    readonly base: string
    readonly places: readonly string[]
    readonly counts: readonly { readonly name: string; readonly texts: number; readonly urls: number }[]
  } | null
}

/** The result of a dry run of a pull. */
export interface ForecastReport {
  readonly kind: 'foretold'
  readonly counts: readonly {
    readonly name: string
    readonly there: number | null
    readonly toRead: number | null
    /** Approximate bytes; null where they are unknown. */
    readonly bytes: number | null
    /** Time of the last pull (ISO). */
    readonly since: string | null
  }[]
  readonly relations: readonly { readonly name: string; readonly targetClass: string; readonly owners: number | null }[]
  /** null when files are not pulled. `bytes` is null where the source does not report it. */
  readonly files: { readonly count: number; readonly elsewhere: number; readonly bytes: number | null } | null
  /** Whether the source provides messages; null when they were not requested. */
  readonly messages: boolean | null
  /** Whether the pull would request an export with passwords from the source. */
  readonly asksForLogins: boolean
  readonly requests: number
  /** Minimum duration at the chosen rate. */
  readonly seconds: number
  readonly faults: readonly Notice[]
}

/** The result of a comparison. */
export interface ComparedReport {
  readonly kind: 'compared'
  readonly isSafe: boolean
  readonly counts: readonly {
    readonly name: string
    readonly there: number
    readonly here: number | null
    readonly same: number
    readonly missing: number
    readonly differs: number
    readonly onlyHere: number
    readonly changed: number
    readonly unreadable: number
  }[]
  readonly examples: readonly {
    readonly name: string
    readonly objectId: string | null
    readonly what: string
    /** The name of the field; a notice for anything else that was compared, such as the size of the bytes. */
    readonly field: string | Notice | null
    /** JSON, shortened. */
    readonly there: string | null
    readonly here: string | null
    /** Why the record could not be read. */
    readonly reason: Notice | null
  }[]
  readonly notes: readonly Noted[]
  /** Classes, fields and leaderboards that differ from the source. */
  readonly schema: readonly Notice[]
  readonly notRead: readonly Notice[]
  /** Further remarks. */
  readonly remarks: readonly Notice[]
  readonly otherClasses: readonly string[]
}

/** Maximum number of items in each list of a stored report; the files next to it are complete. */
const MAX_LINES = 500
const MAX_LETTERS = 1000

/** Truncates long lists and strings of a report, so that a large source cannot make it too large to store with the move. */
export function boundedReport<Report extends MoveReport>(report: Report): Report {
  return bounded(report) as Report
}

/** Truncates a single notice in the same way. */
export function boundedNotice(notice: Notice): Notice {
  return bounded(notice) as Notice
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_LETTERS ? `${value.slice(0, MAX_LETTERS)}…` : value
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).map(bounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one)]))
}

/**
 * Returns the report for administrators with read access: without values of records, which may be passwords, and notices about
 * them.
 */
export function reportForReaders(report: MoveReport): MoveReport {
  switch (report.kind) {
    case 'foretold':
      return report
    case 'brought':
      return { ...report, notes: withoutExamples(report.notes), reasons: [] }
    case 'compared':
      return {
        ...report,
        notes: withoutExamples(report.notes),
        examples: report.examples.map((example) => ({ ...example, there: null, here: null, reason: null })),
      }
  }
}

function withoutExamples(notes: readonly Noted[]): Noted[] {
  return notes.map((note) => ({ ...note, examples: [] }))
}
