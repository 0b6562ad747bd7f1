import { opendir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryOf, fileEntry, type TarEntry } from '../tar.ts'

/**
 * What a base backup omits (PostgreSQL documentation, "Making a Base Backup Using the Low Level API"): contents that the server
 * recreates at its start, and WAL, which is copied after the end.
 */
const EMPTY_FOLDERS = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])
const OMITTED_FILES = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'postgresql.auto.conf.tmp',
  'current_logfiles.tmp',
  'backup_label',
  'backup_label.old',
  'tablespace_map',
  'tablespace_map.old',
  'backup_manifest',
  'recovery.signal',
  'standby.signal',
])
/** Temporary relations and files, and caches of system tables. */
const OMITTED = /^(?:pgsql_tmp|pg_internal\.init|t\d+_\d+)/

/** WAL that waits for its archive, which stores it itself. */
export const WAL_SPOOL = 'homeport_wal'

const CONTROL_FILE = 'global/pg_control'

/**
 * Yields the files of a running server's data directory, to be called between `pg_backup_start` and `pg_backup_stop`. Files that
 * change or vanish meanwhile are corrected by the WAL at restore. The control file comes last.
 * @param prefix of the names in the archive
 * @throws Error when the database uses tablespaces outside the data directory
 */
export async function* copiedFiles(directory: string, prefix: string): AsyncGenerator<TarEntry, void, undefined> {
  yield { kind: 'folder', name: prefix }
  yield* folder(directory, '', prefix)
  yield entryOf(`${prefix}/${CONTROL_FILE}`, await stableContent(join(directory, CONTROL_FILE)))
}

async function* folder(directory: string, path: string, prefix: string): AsyncGenerator<TarEntry, void, undefined> {
  for await (const entry of entriesOf(join(directory, path))) {
    const inside = path === '' ? entry.name : `${path}/${entry.name}`
    const name = `${prefix}/${inside}`
    if (path === 'pg_tblspc')
      throw new Error('The database has tablespaces outside its data directory, which Homeport does not back up.')
    if (entry.isDirectory()) {
      if (OMITTED.test(entry.name) || inside === WAL_SPOOL) continue
      yield { kind: 'folder', name }
      if (EMPTY_FOLDERS.has(inside)) {
        if (inside === 'pg_wal')
          for (const kept of ['archive_status', 'summaries']) yield { kind: 'folder', name: `${name}/${kept}` }
      } else yield* folder(directory, inside, prefix)
    } else if (entry.isFile()) {
      if (OMITTED.test(entry.name) || inside === CONTROL_FILE) continue
      if (path === '' && OMITTED_FILES.has(entry.name)) continue
      yield* fileEntry(join(directory, inside), name)
    } else
      throw new Error(
        `${join(directory, inside)} is not a file or folder. Homeport does not back up links in its database.`,
      )
  }
}

/** Yields the entries of a folder; none when it was removed. */
async function* entriesOf(path: string) {
  try {
    yield* await opendir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Reads the control file until it is the same twice: the server may be writing it. */
async function stableContent(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    await sleep(5)
    const next = await readFile(path)
    if (next.equals(last)) return next
    last = next
  }
}
