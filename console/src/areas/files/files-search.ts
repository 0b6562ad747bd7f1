/** The searchable kinds of files. */
export const KINDS = ['image', 'audio', 'video', 'text', 'application'] as const
export type Kind = (typeof KINDS)[number]

export interface FilesSearch {
  /** A part of the name */
  readonly name?: string
  readonly kind?: Kind
  /** The id of the open file */
  readonly file?: string
}
