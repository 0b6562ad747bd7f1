import { MOVED_TABLES, type MovedTableName } from '../messaging/moved-tables.ts'
import { inEnglish } from '../notices/in-english.ts'
import { type Notice, notice } from '../notices/notice.ts'

/** What happens to an object that exists here: it is kept, replaced, or replaced only if its version here is older. */
export const ON_CONFLICT = ['skip', 'overwrite', 'newer'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** A position in a source: the number of files before it, and the number of records before it in its file. */
export interface Position {
  readonly entry: number
  readonly record: number
}

export const BEGINNING: Position = { entry: 0, record: 0 }

export function isSamePosition(a: Position, b: Position): boolean {
  return a.entry === b.entry && a.record === b.record
}

/**
 * A record on its way from a file into the app. In every file form, an object is the text of a line of a JSON export
 * (protocol/moving-in, JSON export), and a member of a relation is that of its import form (protocol/moving-in, Import forms).
 */
export interface Item {
  /** Line, document or row of the file, from 1. */
  readonly at: number
  readonly text: string
  /** Changes that were made while reading it. */
  readonly notes?: readonly Notice[] | undefined
  /** Why it is rejected; then its text is the source text. */
  readonly reason?: Notice | undefined
}

/** Records in order. */
export interface Items extends Iterable<Item> {
  readonly length: number
  at(index: number): Item | undefined
}

/** The kind of a batch: objects of a class, members of one of its relation fields, or another kind of record. */
export type Kind =
  | { readonly kind: 'objects'; readonly className: string }
  | {
      readonly kind: 'relations'
      readonly className: string
      readonly field: string
      /** null: the target class that the class schema defines */
      readonly targetClass: string | null
    }
  /** Results of storing the bytes of files, which are uploaded before these records are sent. */
  | { readonly kind: 'files'; readonly className: '_File' }
  /** Messages, and other messaging data outside objects: read marks, subscriptions, … */
  | { readonly kind: 'messaging'; readonly className: MessagingRecords }
  /** Leaderboards with their settings and archives. */
  | { readonly kind: 'boards'; readonly className: typeof BOARDS }
  /** Inboxes of statuses with their entries. */
  | { readonly kind: 'inboxes'; readonly className: typeof INBOXES }
  /** Values of a version of a leaderboard. Its members are objects of the class, or entities. */
  | { readonly kind: 'statistics'; readonly className: string; readonly board: string; readonly version: number }
  /** Ids that the source of a pull has: those of objects, or of the members of a relation field. */
  | { readonly kind: 'ids'; readonly className: string; readonly field: string | null }

/** Identifies records of messaging where other records have a class name. No class has such a name. */
export type MessagingRecords = `messaging-${MovedTableName}`

/** @returns the table, or null for the name of a class */
export function messagingTable(className: string): MovedTableName | null {
  return MOVED_TABLES.find((name) => className === `messaging-${name}`) ?? null
}

/** Identifies leaderboards where other records have a class name. */
export const BOARDS = 'leaderboard-boards'
/** Identifies inboxes where other records have a class name. */
export const INBOXES = 'social-inboxes'

const STATISTICS = /^leaderboard-values:([\w-]+):(\d{1,10}):(\w+)$/

/**
 * Returns the name in the file of rejected records that identifies their kind, so that they can be corrected and imported again.
 */
export function rejectedAs(kind: Kind): string {
  return kind.kind === 'statistics'
    ? `leaderboard-values:${kind.board}:${kind.version}:${kind.className}`
    : kind.className
}

/** @returns the kind of rejected records of leaderboards or inboxes; null for other records */
export function socialRecords(className: string): Extract<Kind, { kind: 'boards' | 'inboxes' | 'statistics' }> | null {
  if (className === INBOXES) return { kind: 'inboxes', className }
  if (className === BOARDS) return { kind: 'boards', className }
  const [, board, version, memberType] = STATISTICS.exec(className) ?? []
  if (board === undefined || memberType === undefined) return null
  return { kind: 'statistics', className: memberType, board, version: Number(version) }
}

/** Records of one kind that are written in one transaction with the position after them. */
export interface Batch {
  readonly of: Kind
  /** The name of their file, for people. */
  readonly file: string
  readonly from: Position
  readonly to: Position
  readonly items: Items
  readonly onConflict: OnConflict
  /** Rejects records with invalid values; otherwise null is stored for these values. */
  readonly strict?: boolean | undefined
  /** State that the reader of the source needs to continue after `to`; absent: unchanged. */
  readonly mark?: string | undefined
  /** The id of the app that is pulled, whose ids are recorded; absent for files. */
  readonly source?: string | undefined
  /** Nothing is written; the outcome is the expected one. */
  readonly dryRun: boolean
}

/** The numbers of records by outcome. */
export interface Counts {
  readonly read: number
  readonly created: number
  readonly updated: number
  /** Left unchanged. */
  readonly existing: number
  readonly rejected: number
}

export const NO_COUNTS: Counts = { read: 0, created: 0, updated: 0, existing: 0, rejected: 0 }

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    read: a.read + b.read,
    created: a.created + b.created,
    updated: a.updated + b.updated,
    existing: a.existing + b.existing,
    rejected: a.rejected + b.rejected,
  }
}

/** Returns the key under which records of a kind are counted, such as the class, or the class and relation field. */
export function countedAs(kind: Kind): string {
  switch (kind.kind) {
    case 'objects':
    case 'messaging':
    case 'boards':
    case 'inboxes':
      return kind.className
    case 'relations':
      return `${kind.className}.${kind.field}`
    case 'files':
      return 'bytes of files'
    case 'statistics':
      return `leaderboard ${kind.board}`
    case 'ids':
      return `${kind.field === null ? kind.className : `${kind.className}.${kind.field}`} (ids)`
  }
}

/** A change or remark about records: how often it occurred, and the first examples. */
export interface Noted {
  readonly notice: Notice
  readonly count: number
  readonly examples: readonly string[]
}

/** Notes by their English text. */
export type Notes = { readonly [text: string]: Noted }

/** Maximum examples per note. */
const EXAMPLES = 10
/** Maximum distinct notes. Notes contain names from the data, so their number is otherwise unbounded. */
const MAX_NOTES = 300
const FURTHER = notice('furtherNotes')

/** Merges notes. Equal ones are added up, and those beyond the maximum become `furtherNotes`. */
export function addNotes(notes: Notes, more: Iterable<Noted>): Notes {
  const sum = new Map(Object.entries(notes))
  for (const { notice: said, count, examples } of more) {
    const text = inEnglish(said)
    const isListed = sum.has(text) || sum.size < MAX_NOTES
    const [key, listed] = isListed ? [text, said] : [inEnglish(FURTHER), FURTHER]
    const known = sum.get(key)
    const kept = known?.examples ?? []
    sum.set(key, {
      notice: listed,
      count: count + (known?.count ?? 0),
      examples: kept.length >= EXAMPLES ? kept : [...kept, ...examples].slice(0, EXAMPLES),
    })
  }
  return Object.fromEntries(sum)
}

/** The progress of the import of a source. */
export interface ImportState {
  readonly id: string
  readonly source: string
  readonly place: Position
  /** The latest `mark` of a batch; null when no batch has had one. */
  readonly mark: string | null
  readonly isDone: boolean
  readonly counts: { readonly [countedAs: string]: Counts }
  readonly notes: Notes
}

/** A rejected record. */
export interface Rejected {
  readonly className: string
  /** The relation field of a member. */
  readonly field: string | null
  /** File and line. */
  readonly place: string
  readonly reason: Notice
  readonly text: string
}

/** The outcome of a batch. */
export interface BatchOutcome {
  readonly place: Position
  readonly counts: Counts
  /** Only filled by a dry run; otherwise rejected records are stored. */
  readonly rejected: readonly Rejected[]
  readonly notes: Notes
}
