import type { Notice } from '../../notices/notice.ts'
import type { Json } from '../../values/json.ts'
import type { BOARDS, INBOXES, MessagingRecords } from '../batch.ts'
import type { Encoding } from '../sources/detect-encoding.ts'

/** `sequence`: consecutive JSON values with any white space between and within them. */
type ObjectForm = 'lines' | 'array' | 'sequence' | 'csv' | 'bson'
type MemberForm =
  | 'member lines'
  | 'member array'
  | 'member sequence'
  | 'member csv'
  | 'member typed csv'
  | 'member bson'

/** The form of a file, which determines how its records are read. */
export type Form = (RecordsOfFile & { readonly encoding?: Encoding | undefined }) | OtherFile

/** `encoding`: the encoding of the file, if it is not UTF-8. */
type RecordsOfFile =
  | ({ readonly form: ObjectForm; readonly of: ClassOfRecords } & GivenByUser)
  | ({ readonly form: MemberForm; readonly of: FieldOfMembers } & GivenByUser)
  /** Several lists in one JSON object, by class name; `data`: the object is this member of the file. */
  | { readonly form: 'lists'; readonly within: 'data' | null; readonly names: readonly string[] }
  /** Messages, and other messaging data outside objects. */
  | {
      readonly form: 'messaging lines' | 'messaging array' | 'messaging sequence'
      readonly of: { readonly className: MessagingRecords }
    }
  /**
   * Leaderboards, inboxes of statuses, and the values of a version of a board (docs/moving-in-reference.md, Files of an
   * export).
   */
  | { readonly form: 'board lines'; readonly of: { readonly className: typeof BOARDS } }
  | { readonly form: 'inbox lines'; readonly of: { readonly className: typeof INBOXES } }
  | { readonly form: 'statistic lines'; readonly of: VersionOfBoard & ClassOfRecords }
  /** Records that an import rejected, with the reasons, possibly corrected. */
  | { readonly form: 'rejected' }

type OtherFile =
  /** Files of a schema, read completely: parts of class descriptions, by class. */
  | { readonly form: 'schema'; readonly classes: { readonly [className: string]: HostedClass } }
  /** The list of files whose bytes are stored next to it. */
  | { readonly form: 'files' }
  /** The file has no records, and this is not an error. */
  | { readonly form: 'nothing' }
  | { readonly form: 'unknown'; readonly reason: Notice }

/** A form with records. */
export type RecordForm = Exclude<Form, { form: 'schema' | 'files' | 'nothing' | 'unknown' }>

interface GivenByUser {
  /** The content that the first line names, where an option of the user replaces it. */
  readonly replaced?: string
}

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

/** The description of a class in files of the hosted service (protocol/moving-in, Schema export). */
export interface HostedClass {
  readonly schema?: Json
  readonly permissions?: Json
  readonly indexes?: Json
}

/** Options of the user for files whose content does not identify their class. */
export interface FormOptions {
  readonly encoding?: Encoding | undefined
  readonly className: string | undefined
  readonly relation: FieldOfMembers | undefined
}
