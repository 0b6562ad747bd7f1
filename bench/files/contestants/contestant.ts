import type { HttpConnection } from '../http-connection.ts'

export type ContestantName = 'homeport' | 'nginx' | 'parse-server'

/** A server that takes files and gives them out. */
export interface FileContestant {
  readonly name: ContestantName
  readonly url: string
  /** Processor time of all its processes so far, without that of the database, in milliseconds; null where nothing tells. */
  processorTime(): number | null
  /** Stores a file, by all the requests that a client makes for it. @returns the path of its bytes */
  upload(connection: HttpConnection, name: string, bytes: Buffer): Promise<string>
}
