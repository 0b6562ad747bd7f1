import type { Database } from '../database/pool.ts'
import { identifier, type Sql } from '../database/sql.ts'
import type { AppLimits } from '../limits/app-limits.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import type { FileSettings } from './file-settings.ts'
import type { FileHosts } from './file-url.ts'
import type { LookUp } from './look-up.ts'
import type { Pictures } from './pictures/pictures.ts'

/** Class of the file records. */
export const FILE = '_File'

/** Tables of an app that store information about file bytes. */
export interface FileTables {
  /** Maps each key to its blob. */
  readonly files: Sql
  /** Blobs that are not referenced, or not yet. */
  readonly orphanedBlobs: Sql
  readonly uploads: Sql
  readonly parts: Sql
}

/** The files of one app: the context of all functions in this folder. */
export interface Files {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly blobs: BlobStore
  readonly pictures: Pictures
  readonly tables: FileTables
  readonly lookUp: LookUp
  readonly limits: AppLimits
  readonly log: Log
  settings(): FileSettings
  hosts(): FileHosts
  /** Must be called when blobs may have become unreferenced and can be deleted immediately. */
  loosened(): void
}

export function fileTables(schema: string): FileTables {
  return {
    files: identifier(schema, '$files'),
    orphanedBlobs: identifier(schema, '$loose_blobs'),
    uploads: identifier(schema, '$uploads'),
    parts: identifier(schema, '$upload_parts'),
  }
}
