import type { Notice } from '../notices/notice.ts'
import type { MoveReport } from './move-report.ts'

/** The source of a move: uploaded files, or a running app. */
export type MoveSource =
  | { readonly kind: 'files'; readonly files: readonly MovedFile[] }
  | {
      readonly kind: 'app'
      readonly url: string
      readonly appId: string
      /** An export with the passwords and session tokens of users, which the API of the source does not return. */
      readonly users?: MovedFile | undefined
    }

export interface MovedFile {
  readonly name: string
  /** Total bytes of the file. */
  readonly size: number
}

/** Returns the files to upload for a source. */
export function filesOf(source: MoveSource): readonly MovedFile[] {
  if (source.kind === 'files') return source.files
  return source.users ? [source.users] : []
}

/** `try` is a dry run, `bring` transfers the data, `verify` compares it with the source. */
export const ACTIONS = ['try', 'bring', 'verify'] as const
export type Action = (typeof ACTIONS)[number]

/** Options of an action; see the options of `homeport import`, `pull` and `verify` (docs/moving-in.md). */
export interface MoveOptions {
  readonly onConflict?: 'skip' | 'overwrite' | 'newer' | undefined
  /** Rejects records with invalid values; otherwise null is stored for these values. */
  readonly strict?: boolean | undefined
  /** The encoding of all texts; absent: it is detected for each file. */
  readonly encoding?: 'utf-8' | 'gb18030' | 'utf-16le' | 'utf-16be' | undefined
  /** Restarts from the beginning instead of resuming. */
  readonly again?: boolean | undefined
  readonly rewriteUrls?: boolean | undefined
  /** The texts to rewrite: `Class.field` or `messages`; absent: all. */
  readonly rewriteFields?: readonly string[] | undefined
  /** Hosts that served files, in addition to those in the records of files. */
  readonly oldDomains?: readonly string[] | undefined
  // For a running app:
  /** Maximum requests per second to the source. */
  readonly rate?: number | undefined
  /** Number of classes that are read in parallel. */
  readonly parallel?: number | undefined
  /** The hours in which `rate` applies, such as `22-6` in the time zone of the server; at other times `dayRate` applies. */
  readonly nightHours?: string | undefined
  readonly dayRate?: number | undefined
  readonly files?: boolean | undefined
  /** Base URL to which the keys of files are appended, instead of the URLs in their records. */
  readonly filesFrom?: string | undefined
  readonly passwords?: boolean | undefined
  readonly messages?: boolean | undefined
  readonly chatDetails?: boolean | undefined
  readonly compareIds?: boolean | undefined
  /** Keeps pulling changes; at the end, objects that were deleted at the source are removed. */
  readonly follow?: boolean | undefined
  /** When following ends (ISO); absent: at the request of an administrator. */
  readonly until?: string | undefined
  /** Seconds between two queries for changes. */
  readonly every?: number | undefined
  readonly allowManyDeletions?: boolean | undefined
  readonly withoutAcl?: boolean | undefined
}

/** The progress of an action. */
export interface MoveProgress {
  /** The part of the source that is being processed; null when the source has no parts. */
  readonly part: string | null
  /** Bytes of files, or records of the part. The total is null where the source does not report it. */
  readonly done: number
  readonly total: number | null
  readonly records: number
  readonly rejected: number
  /** The number of records when the current run of the action began, and when that was (ISO). The rate is computed from these. */
  readonly since: string
  /** Time of the last query for changes (ISO); present once all data has been transferred and changes are followed. */
  readonly followedAt?: string | undefined
}

/** `complete`: all records were accepted, or are equal. `incomplete`: some were not. `failed`: the action ended with an error. */
export type Result = 'complete' | 'incomplete' | 'failed' | 'stopped'

/** The outcome of an action. */
export interface Outcome {
  readonly result: Result
  /** The end of the command's output. */
  readonly text: string
  /** null: there is none, or the caller may not read it */
  readonly report?: MoveReport | null
  /** Why the command failed; null when it succeeded, absent in outcomes of earlier versions. */
  readonly failure?: Notice | null
  /** ISO */
  readonly at: string
  /** Whether a file lists rejected records, or the differences that a comparison found. */
  readonly hasRejected: boolean
}

/** A move as shown to administrators, without the master key of its source. */
export interface Move {
  readonly id: string
  readonly source: MoveSource
  readonly hasKey: boolean
  /** Bytes received of each file of the source (`filesOf`); null on nodes that do not store the files. */
  readonly received: readonly number[] | null
  readonly action: Action | null
  readonly options: MoveOptions
  readonly progress: MoveProgress | null
  readonly outcomes: { readonly [action in Action]?: Outcome }
  readonly createdAt: string
  readonly changedAt: string
}
