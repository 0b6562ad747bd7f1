/** The place where backups are stored: a folder or a bucket. Paths have the form `folder/file`, with slashes. */
export interface BackupTarget {
  /** For reports, without credentials. */
  readonly description: string
  /** Stores a file. It appears under its name when all of it is stored durably. */
  write(path: string, content: AsyncIterable<Buffer>): Promise<void>
  /** Reads a file as a stream. @throws FileMissing */
  read(path: string): Promise<AsyncIterable<Buffer>>
  /** Returns the names of the folders below the root. */
  folders(): Promise<string[]>
  /** Returns the names of the files in a folder in order; none if the folder does not exist. */
  files(folder: string): Promise<string[]>
  /** Removes a folder with its files and unfinished writes; the file `first`, if given, before the others. */
  removeFolder(folder: string, first?: string): Promise<void>
  /** Removes a file; a missing one is no error. */
  remove(path: string): Promise<void>
  close(): void
}

/** A file does not exist at the target. */
export class FileMissing extends Error {
  override readonly name = 'FileMissing'

  constructor(path: string, target: string) {
    super(`'${path}' does not exist in the ${target}.`)
  }
}
