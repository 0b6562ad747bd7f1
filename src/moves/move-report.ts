import type { Notice } from '../notices/notice.ts'
/** The result of an action as data: a page shows it in any language. */
export type MoveReport = BroughtReport | ForetoldReport | ComparedReport

/** What was changed on the way, or should be known: how often, and where it was met first. */
export interface Noted {
  readonly notice: Notice
  readonly count: number
  readonly examples: readonly string[]
}

/** Of an import or a pull, also of one that was only tried with files. */
export interface BroughtReport {
  readonly kind: 'brought'
  readonly dryRun: boolean
  /** By class, class and relation field, or what else is counted by itself. */
  readonly counts: readonly {
    readonly name: string
    readonly read: number
    readonly created: number
    readonly updated: number
    readonly existing: number
    readonly rejected: number
    /** Objects that are here now; null where they are not counted. */
    readonly here: number | null
  }[]
  readonly notes: readonly Noted[]
  /** Why records were not taken. */
  readonly reasons: readonly { readonly name: string; readonly reason: Notice; readonly count: number }[]
  /** Files, or parts of the source, that could not be read. */
  readonly notUnderstood: readonly Notice[]
  /** What was left out of the schema, or could not be applied; absent in reports of older versions. */
  readonly schema?: readonly Notice[] | undefined
  /** Classes that were not here before, and the file that each is named after; absent in reports of older versions. */
  readonly newClasses?: readonly { readonly name: string; readonly file: string }[] | undefined
  readonly remarks: readonly Notice[]
  /** What was deleted at the source. */
  readonly removed: readonly {
    readonly name: string
    readonly removed: number
    /** Those that stay because they were changed here later. */
    readonly kept: number
    /** Why nothing was removed. */
    readonly refusal: Notice | null
  }[]
  /** URLs in texts that now lie below `base`; null where they were left. */
  readonly rewritten: {
    readonly base: string
    readonly places: readonly string[]
    readonly counts: readonly { readonly name: string; readonly texts: number; readonly urls: number }[]
  } | null
}

/** Of a pull that was only tried. */
export interface ForetoldReport {
  readonly kind: 'foretold'
  readonly counts: readonly {
    readonly name: string
    readonly there: number | null
    readonly toRead: number | null
    /** Bytes, about; null where it is not known. */
    readonly bytes: number | null
    /** ISO, when it was pulled before. */
    readonly since: string | null
  }[]
  readonly relations: readonly { readonly name: string; readonly targetClass: string; readonly owners: number | null }[]
  /** null: they are not brought. Bytes are null where the source does not say them. */
  readonly files: { readonly count: number; readonly elsewhere: number; readonly bytes: number | null } | null
  /** Whether the source gives messages; null: they are not asked for. */
  readonly messages: boolean | null
  /** Whether the source would be asked for an export with passwords. */
  readonly asksForLogins: boolean
  readonly requests: number
  /** At least, at the rate that was chosen. */
  readonly seconds: number
  readonly faults: readonly Notice[]
}

/** Of a comparison. */
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
    /** Its name; a notice for what is no field, such as the size of the bytes. */
    readonly field: string | Notice | null
    /** JSON, shortened. */
    readonly there: string | null
    readonly here: string | null
    /** Why it could not be read. */
    readonly reason: Notice | null
  }[]
  readonly notes: readonly Noted[]
  /** Classes, fields and leaderboards that are not as they are there. */
  readonly schema: readonly Notice[]
  readonly notRead: readonly Notice[]
  /** What else should be known. */
  readonly remarks: readonly Notice[]
  readonly otherClasses: readonly string[]
}

/** Lines of a kind that a report keeps: the files beside it have all. */
const MOST_LINES = 500
const MOST_LETTERS = 1000

/** Cuts what a source with any number of classes, faults or long names has made too large to be kept with the move. */
export function boundedReport<Report extends MoveReport>(report: Report): Report {
  return bounded(report) as Report
}

/** The same for a single notice. */
export function boundedNotice(notice: Notice): Notice {
  return bounded(notice) as Notice
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MOST_LETTERS ? `${value.slice(0, MOST_LETTERS)}…` : value
  if (Array.isArray(value)) return value.slice(0, MOST_LINES).map(bounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one)]))
}

/** The report for those who may look and not change: without values of records, which may be passwords, and what says more of them. */
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
