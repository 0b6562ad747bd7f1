import { MOVED_TABLES, type MovedTableName } from '../messaging/moved-tables.ts'
import { inEnglish } from '../notices/in-english.ts'
import { type Notice, notice } from '../notices/notice.ts'

/** What is done with an object that is here already: it stays, is replaced, or is replaced if it was changed before. */
export const ON_CONFLICT = ['skip', 'overwrite', 'newer'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** A place in a source: so many files in front of it, and so many records of its file. */
export interface Place {
  readonly entry: number
  readonly record: number
}

export const BEGINNING: Place = { entry: 0, record: 0 }

export function isSamePlace(a: Place, b: Place): boolean {
  return a.entry === b.entry && a.record === b.record
}

/**
 * One record on its way from a file into the app. An object is the text of a line of a JSON export (protocol/moving-in, JSON
 * export), a member of a relation that of its import form (protocol/moving-in, Import forms), whatever form the file has.
 */
export interface Item {
  /** Line, document or row of the file, from 1. */
  readonly at: number
  readonly text: string
  /** What reading it has changed. */
  readonly notes?: readonly Notice[] | undefined
  /** Why it cannot be taken; its text is what it was found as. */
  readonly reason?: Notice | undefined
}

/** Records in their order. */
export interface Items extends Iterable<Item> {
  readonly length: number
  at(index: number): Item | undefined
}

/** What the records of a batch are: objects of a class, members of one of its relation fields, or rows of messaging. */
export type Kind =
  | { readonly kind: 'objects'; readonly className: string }
  | {
      readonly kind: 'relations'
      readonly className: string
      readonly field: string
      /** null: as the class says it */
      readonly targetClass: string | null
    }
  /** What became of the bytes of files, which are stored before they are told of. */
  | { readonly kind: 'files'; readonly className: '_File' }
  /** Messages, and what else messaging keeps beside the objects: read marks, subscriptions, … */
  | { readonly kind: 'messaging'; readonly className: MessagingRecords }
  /** Leaderboards with their settings and archives. */
  | { readonly kind: 'boards'; readonly className: typeof BOARDS }
  /** Inboxes of statuses with what stands in them. */
  | { readonly kind: 'inboxes'; readonly className: typeof INBOXES }
  /** Values of a version of a leaderboard, whose members are objects of the class or entities. */
  | { readonly kind: 'statistics'; readonly className: string; readonly board: string; readonly version: number }
  /** Ids that the source of a pull has: of objects, or of the members of a relation field. */
  | { readonly kind: 'ids'; readonly className: string; readonly field: string | null }

/** What records of messaging are told by where others have a class: no class has such a name. */
export type MessagingRecords = `messaging-${MovedTableName}`

/** @returns null for what is the name of a class */
export function messagingTable(className: string): MovedTableName | null {
  return MOVED_TABLES.find((name) => className === `messaging-${name}`) ?? null
}

/** What leaderboards are told by where others have a class. */
export const BOARDS = 'leaderboard-boards'
/** … and inboxes. */
export const INBOXES = 'social-inboxes'

const STATISTICS = /^leaderboard-values:([\w-]+):(\d{1,10}):(\w+)$/

/** By what rejected records are told apart from those of classes, so that they can be imported when they are corrected. */
export function rejectedAs(kind: Kind): string {
  return kind.kind === 'statistics'
    ? `leaderboard-values:${kind.board}:${kind.version}:${kind.className}`
    : kind.className
}

/** @returns the kind of rejected records of leaderboards or inboxes; null for others */
export function socialRecords(className: string): Extract<Kind, { kind: 'boards' | 'inboxes' | 'statistics' }> | null {
  if (className === INBOXES) return { kind: 'inboxes', className }
  if (className === BOARDS) return { kind: 'boards', className }
  const [, board, version, memberType] = STATISTICS.exec(className) ?? []
  if (board === undefined || memberType === undefined) return null
  return { kind: 'statistics', className: memberType, board, version: Number(version) }
}

/** Records of one kind that are written together with the place behind them. */
export interface Batch {
  readonly of: Kind
  /** The file that they stand in, for people. */
  readonly file: string
  readonly from: Place
  readonly to: Place
  readonly items: Items
  readonly onConflict: OnConflict
  /** Refuses records with invalid values, for which null is stored otherwise. */
  readonly strict?: boolean | undefined
  /** What the reader of the source needs to know to go on behind `to`; absent: what it was before. */
  readonly mark?: string | undefined
  /** The id of the app that is pulled, of which it is noted what it has; absent for files. */
  readonly source?: string | undefined
  /** Nothing is written; the outcome is what it would be. */
  readonly dryRun: boolean
}

/** What became of records. */
export interface Counts {
  readonly read: number
  readonly created: number
  readonly updated: number
  /** Left as they are here. */
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

/** How counts are filed: by class, or by class and relation field. */
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

/** What was changed on the way or should be known, how often, and where it happened first. */
export interface Noted {
  readonly notice: Notice
  readonly count: number
  readonly examples: readonly string[]
}

/** Notes by their English text. */
export type Notes = { readonly [text: string]: Noted }

/** Examples that are kept of what was changed: enough to find out why. */
const EXAMPLES = 10
/** Notes that say something of their own: names in data make any number of them. */
const MAX_NOTES = 300
const FURTHER = notice('furtherNotes')

/** Adds notes to others: equal ones become one, and those beyond the maximum become `furtherNotes`. */
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

/** How far the import of a source is. */
export interface ImportState {
  readonly id: string
  readonly source: string
  readonly place: Place
  /** As the last batch that had one has said; null where none has. */
  readonly mark: string | null
  readonly isDone: boolean
  readonly counts: { readonly [countedAs: string]: Counts }
  readonly notes: Notes
}

/** A record that was not taken. */
export interface Rejected {
  readonly className: string
  /** Of a member of a relation. */
  readonly field: string | null
  /** File and line. */
  readonly place: string
  readonly reason: Notice
  readonly text: string
}

/** What became of a batch. */
export interface BatchOutcome {
  readonly place: Place
  readonly counts: Counts
  /** Told of a dry run only: otherwise they are stored. */
  readonly rejected: readonly Rejected[]
  readonly notes: Notes
}
