import type { HttpConnection } from '../http-connection.ts'

export type ContestantName = 'homeport' | 'nginx' | 'parse-server'

/** A server that stores and serves files. */
export interface FileContestant {
  readonly name: ContestantName
  readonly url: string
  /** Returns the CPU time of all its processes without the database, in milliseconds; null where unavailable. */
  processorTime(): number | null
  /**
   * Stores a file with all requests a client needs.
   * @returns the path of its bytes
   */
  upload(connection: HttpConnection, name: string, bytes: Buffer): Promise<string>
}
