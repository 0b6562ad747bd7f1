import type { Notice } from '../notices/notice.ts'
import type { MoveReport } from './move-report.ts'

/** Where the data of a move comes from: files that are uploaded, or an app that runs. */
export type MoveSource =
  | { readonly kind: 'files'; readonly files: readonly MovedFile[] }
  | {
      readonly kind: 'app'
      readonly url: string
      readonly appId: string
      /** An export with the passwords and session tokens of its users, which the API does not show. */
      readonly users?: MovedFile | undefined
    }

export interface MovedFile {
  readonly name: string
  /** Bytes that it will have. */
  readonly size: number
}

/** The files that are uploaded for a source. */
export function filesOf(source: MoveSource): readonly MovedFile[] {
  if (source.kind === 'files') return source.files
  return source.users ? [source.users] : []
}

/** `try` says what would happen, `bring` brings the data, `verify` compares it with the source. */
export const ACTIONS = ['try', 'bring', 'verify'] as const
export type Action = (typeof ACTIONS)[number]

/** How an action is done; see the options of `homeport import`, `pull` and `verify` (docs/moving-in.md). */
export interface MoveOptions {
  readonly onConflict?: 'skip' | 'overwrite' | 'newer' | undefined
  /** Refuses records with invalid values, for which null is stored otherwise. */
  readonly strict?: boolean | undefined
  /** Begins anew with what was brought before. */
  readonly again?: boolean | undefined
  readonly rewriteUrls?: boolean | undefined
  /** Which texts: `Class.field` or `messages`; absent: all. */
  readonly rewriteFields?: readonly string[] | undefined
  /** Hosts where files were, beside what their records say. */
  readonly oldDomains?: readonly string[] | undefined
  // Of an app that runs:
  /** Requests a second that it is asked at most. */
  readonly rate?: number | undefined
  /** Classes that are read at a time. */
  readonly parallel?: number | undefined
  /** When the rate holds, such as `22-6` by the clock of the server; at other times it is `dayRate`. */
  readonly nightHours?: string | undefined
  readonly dayRate?: number | undefined
  readonly files?: boolean | undefined
  /** Where the bytes of files are by their keys, in place of what their records say. */
  readonly filesFrom?: string | undefined
  readonly passwords?: boolean | undefined
  readonly messages?: boolean | undefined
  readonly chatDetails?: boolean | undefined
  readonly compareIds?: boolean | undefined
  /** Goes on bringing what is new; in the end what was deleted at the source is removed. */
  readonly follow?: boolean | undefined
  /** When following ends (ISO); absent: when it is told to. */
  readonly until?: string | undefined
  /** Seconds between two looks. */
  readonly every?: number | undefined
  readonly allowManyDeletions?: boolean | undefined
  readonly withoutAcl?: boolean | undefined
}

/** How far an action is. */
export interface MoveProgress {
  /** The part of the source that is on its way; null where it has none. */
  readonly part: string | null
  /** Bytes of files, or records of the part; the total is null where the source does not say it. */
  readonly done: number
  readonly total: number | null
  readonly records: number
  readonly rejected: number
  /** Records that were there when the action was begun this time, and when that was (ISO): by these the rate is known. */
  readonly since: string
  /** Everything has come once, and what is new is followed: when it was last looked for (ISO). */
  readonly followedAt?: string | undefined
}

/** `complete`: all was taken, or is the same. `incomplete`: something was not. `failed`: it came to no end. */
export type Result = 'complete' | 'incomplete' | 'failed' | 'stopped'

/** What came of an action. */
export interface Outcome {
  readonly result: Result
  /** What the command has said, the end of it. */
  readonly text: string
  /** null: there is none, or the caller may not see it */
  readonly report?: MoveReport | null
  /** Why the command has failed; null where it has not, absent in outcomes of earlier versions. */
  readonly failure?: Notice | null
  /** ISO */
  readonly at: string
  /** Records that were not taken: a file has them. Of a comparison: the differences. */
  readonly hasRejected: boolean
}

/** A move as administrators see it, without the master key of its source. */
export interface Move {
  readonly id: string
  readonly source: MoveSource
  readonly hasKey: boolean
  /** Bytes of each file of the source that are here (`filesOf`); null on nodes where they do not lie. */
  readonly received: readonly number[] | null
  readonly action: Action | null
  readonly options: MoveOptions
  readonly progress: MoveProgress | null
  readonly outcomes: { readonly [action in Action]?: Outcome }
  readonly createdAt: string
  readonly changedAt: string
}
