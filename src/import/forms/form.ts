import type { Notice } from '../../notices/notice.ts'
import type { Json } from '../../values/json.ts'
import type { BOARDS, INBOXES, MessagingRecords } from '../batch.ts'
import type { Encoding } from '../sources/detect-encoding.ts'

/** `sequence`: JSON values behind each other, whatever white space stands between and within them. */
type ObjectForm = 'lines' | 'array' | 'sequence' | 'csv' | 'bson'
type MemberForm =
  | 'member lines'
  | 'member array'
  | 'member sequence'
  | 'member csv'
  | 'member typed csv'
  | 'member bson'

/** What a file is, and how its records are read. */
export type Form = (RecordsOfFile & { readonly encoding?: Encoding | undefined }) | OtherFile

/** `encoding`: that of the file, where it is not UTF-8. */
type RecordsOfFile =
  | { readonly form: ObjectForm; readonly of: ClassOfRecords }
  | { readonly form: MemberForm; readonly of: FieldOfMembers }
  /** Several lists in one JSON object, by the names of their classes; `data`: in this member of it. */
  | { readonly form: 'lists'; readonly within: 'data' | null; readonly names: readonly string[] }
  /** Messages, and what else messaging keeps beside the objects. */
  | {
      readonly form: 'messaging lines' | 'messaging array' | 'messaging sequence'
      readonly of: { readonly className: MessagingRecords }
    }
  /** Leaderboards, inboxes of statuses, and the values of a version of a board (docs/moving-in.md, The way out). */
  | { readonly form: 'board lines'; readonly of: { readonly className: typeof BOARDS } }
  | { readonly form: 'inbox lines'; readonly of: { readonly className: typeof INBOXES } }
  | { readonly form: 'statistic lines'; readonly of: VersionOfBoard & ClassOfRecords }
  /** What an import could not take, with its reasons, perhaps corrected since. */
  | { readonly form: 'rejected' }

type OtherFile =
  /** Files of a schema, read whole: parts of what is said of classes, by class. */
  | { readonly form: 'schema'; readonly classes: { readonly [className: string]: HostedClass } }
  /** The list of the files whose bytes lie beside it. */
  | { readonly form: 'files' }
  /** It has nothing that could be imported, and that is as it should be. */
  | { readonly form: 'nothing' }
  | { readonly form: 'unknown'; readonly reason: Notice }

/** A form that has records. */
export type RecordForm = Exclude<Form, { form: 'schema' | 'files' | 'nothing' | 'unknown' }>

interface ClassOfRecords {
  readonly className: string
}

interface VersionOfBoard {
  readonly board: string
  readonly version: number
}

export interface FieldOfMembers {
  readonly className: string
  readonly field: string
  readonly targetClass: string | null
}

/** What the files of the hosted service say of a class (protocol/moving-in, Schema export). */
export interface HostedClass {
  readonly schema?: Json
  readonly permissions?: Json
  readonly indexes?: Json
}

/** What the user says of a file whose content does not. */
export interface Told {
  readonly encoding?: Encoding | undefined
  readonly className: string | undefined
  readonly relation: FieldOfMembers | undefined
}
