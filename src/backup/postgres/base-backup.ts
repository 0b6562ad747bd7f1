import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { entryOf, fileEntry, type TarEntry } from '../tar.ts'
import { copiedFiles } from './copied-files.ts'
import { segmentsBetween } from './wal-segments.ts'

/** Prefix of the database's files in the archive, as in a data directory. */
export const DATABASE_FOLDER = 'postgres'

export interface CopiedDatabase {
  readonly major: number
  readonly segmentBytes: number
  readonly startLsn: string
  readonly stopLsn: string
  readonly firstSegment: string
  readonly lastSegment: string
  /** The time of the end: each write acknowledged before it is in the copy. */
  readonly endedAt: Date
}

export interface BaseBackupOptions {
  /** Connects as superuser. */
  readonly connection: pg.ClientConfig
  /** The data directory of the server. */
  readonly directory: string
  readonly name: string
  /**
   * Called after each copied file. It ends the backup by throwing, for example when the disk is nearly full: the server keeps its
   * WAL until the end of the backup.
   */
  readonly checkSpace: () => Promise<void>
}

/**
 * A base backup of a running server, without stopping it: between `pg_backup_start` and `pg_backup_stop`, pages are copied while
 * they change, and the WAL from start to end repairs them at restore (PostgreSQL documentation, "Continuous Archiving"). Torn pages
 * are repaired too: the server logs full pages during a backup. A temporary replication slot keeps the WAL.
 */
export class BaseBackup {
  readonly #options: BaseBackupOptions
  #copied: CopiedDatabase | undefined

  constructor(options: BaseBackupOptions) {
    this.#options = options
  }

  /** The facts of the copy, once all entries were consumed. */
  get copied(): CopiedDatabase {
    if (!this.#copied) throw new Error('The copy of the database has not ended.')
    return this.#copied
  }

  /** Yields the files of the copy. When the caller stops early, the server ends the backup with the connection. */
  async *entries(): AsyncGenerator<TarEntry, void, undefined> {
    const { connection, directory, name, checkSpace } = this.#options
    const client = new pg.Client(connection)
    let lost: Error | undefined
    client.on('error', (error) => {
      lost = error
    })
    await client.connect()
    try {
      const { segmentBytes, major } = await facts(client)
      // The slot comes first: the start is the redo position of a checkpoint after it, so all WAL from there is kept.
      await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [slotName(name)])
      const started = await client.query<{ lsn: string; segment: string }>(
        `SELECT lsn::text AS lsn, pg_walfile_name(lsn) AS segment FROM pg_backup_start($1, true) AS lsn`,
        [`homeport ${name}`],
      )
      for await (const entry of copiedFiles(directory, DATABASE_FOLDER)) {
        yield entry
        await checkSpace()
        if (lost) throw lost
      }
      const stopped = await client.query<{ lsn: string; segment: string; labelfile: string; spcmapfile: string }>(
        'SELECT lsn::text AS lsn, pg_walfile_name(lsn) AS segment, labelfile, spcmapfile FROM pg_backup_stop(false)',
      )
      const endedAt = new Date()
      const [start, stop] = [started.rows[0]!, stopped.rows[0]!]
      if (stop.spcmapfile.trim() !== '')
        throw new Error('The database has tablespaces, which Homeport does not back up.')
      yield entryOf(`${DATABASE_FOLDER}/backup_label`, stop.labelfile)
      const firstSegment = /\(file ([0-9A-F]{24})\)/.exec(stop.labelfile)?.[1] ?? start.segment
      this.#copied = {
        major,
        segmentBytes,
        startLsn: start.lsn,
        stopLsn: stop.lsn,
        firstSegment,
        lastSegment: stop.segment,
        endedAt,
      }
      yield* this.#wal(firstSegment, stop.segment, segmentBytes)
    } finally {
      // Ends the backup mode and drops the slot, also after a failure.
      await client.end().catch(() => {})
    }
  }

  /** Yields the WAL from the start to the end of the backup, and the histories of timelines. */
  async *#wal(first: string, last: string, segmentBytes: number): AsyncGenerator<TarEntry, void, undefined> {
    const folder = join(this.#options.directory, 'pg_wal')
    for (const segment of segmentsBetween(first, last, segmentBytes)) {
      await access(join(folder, segment)).catch(() => {
        throw new Error(`The WAL segment ${segment} was removed during the backup.`)
      })
      for await (const entry of fileEntry(join(folder, segment), `${DATABASE_FOLDER}/pg_wal/${segment}`)) {
        if (entry.kind === 'file' && entry.size !== segmentBytes)
          throw new Error(`The WAL segment ${segment} is not complete.`)
        yield entry
      }
      await this.#options.checkSpace()
    }
    for (const name of await readdir(folder))
      if (/^[0-9A-F]{8}\.history$/.test(name)) yield* fileEntry(join(folder, name), `${DATABASE_FOLDER}/pg_wal/${name}`)
  }
}

async function facts(client: pg.Client): Promise<{ segmentBytes: number; major: number }> {
  const { rows } = await client.query<{ bytes: string; version: string; level: string }>(`
    SELECT setting AS bytes,
      current_setting('server_version_num') AS version,
      current_setting('wal_level') AS level
    FROM pg_settings WHERE name = 'wal_segment_size'`)
  const { bytes, version, level } = rows[0]!
  if (level === 'minimal')
    throw new Error('The database runs with wal_level = minimal, which does not allow a backup while it runs.')
  return { segmentBytes: Number(bytes), major: Math.floor(Number(version) / 10_000) }
}

function slotName(name: string): string {
  return `homeport_${name.toLowerCase().replace(/[^a-z0-9]/g, '_')}`.slice(0, 63)
}
