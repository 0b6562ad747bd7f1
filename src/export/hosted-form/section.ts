/** Records of one kind, which are exported to numbered files. */
export interface Section {
  /** Sections are written in the order of their names. */
  readonly name: string
  /** The file of a part, for example `Post.0.jsonl`. */
  fileOf(part: number): string
  /** Describes the content in the first line of each file. */
  readonly comment: object
  /** Whether the file is omitted when there are no records. */
  readonly optional: boolean
  /** Yields the records in the order of their keys, starting after the key `after`. */
  records(after: readonly string[] | null): AsyncGenerator<Records>
}

/** A batch of consecutive records. */
interface Records {
  /** Each record ends with a line feed. */
  readonly text: string
  /** The key of the last record. */
  readonly last: readonly string[]
}

/** Returns the first line of a file of an export (protocol/moving-in, JSON export). */
export function commentLine(comment: object): string {
  return `#filetype:JSON-streaming ${JSON.stringify(comment)}\n`
}
