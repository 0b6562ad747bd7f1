/** Records of one kind, which are exported to files that are numbered. */
export interface Section {
  /** Sections are written in the order of their names. */
  readonly name: string
  /** The file of a part, for example `Post.0.jsonl`. */
  fileOf(part: number): string
  /** What the first line of each file says of what is in it. */
  readonly comment: object
  /** Has no file when it has no records. */
  readonly optional: boolean
  /** Its records in the order of their keys, from behind `after` on. */
  records(after: readonly string[] | null): AsyncGenerator<Records>
}

/** Some records that follow each other. */
interface Records {
  /** Each ends with a line feed. */
  readonly text: string
  /** The key of the last of them. */
  readonly last: readonly string[]
}

/** What a file of an export begins with (protocol/moving-in, JSON export). */
export function commentLine(comment: object): string {
  return `#filetype:JSON-streaming ${JSON.stringify(comment)}\n`
}
