import type { DiskSpace } from '../../disk-reserve.ts'

const mebibyte = 1024 ** 2

/** The machine of a database; all sizes in bytes. */
export interface DatabaseMachine {
  /** Memory of the machine or container. */
  readonly memory: number
  /** Size of the disk with the data directory, and its free space. */
  readonly disk: DiskSpace
}

/**
 * Returns PostgreSQL's settings for a small server behind an API. They are passed on its command line rather than in
 * postgresql.conf, so that a new version of Homeport brings its own.
 */
export function postgresSettings({ memory, disk }: DatabaseMachine): Record<string, string> {
  const between = (bytes: number, min: number, max: number) =>
    Math.round(Math.min(max, Math.max(min, bytes / mebibyte)))
  const megabytes = (share: number, min: number, max: number) => `${between(memory * share, min, max)}MB`
  // The log of changes takes at most a twentieth of the disk, the space that uploads leave to the database by default, and at most
  // a quarter of the space that is free.
  const log = between(Math.min(disk.total / 20, disk.free / 4), 96, 2048)
  return {
    // The log format that postgres-log.ts parses. It contains no statements and no values, which are users' data. It comes first
    // because PostgreSQL applies settings in order, and reports problems with later ones in the format set so far.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%b|%e|',
    log_min_messages: 'warning',
    log_error_verbosity: 'terse',
    log_statement: 'none',
    log_min_error_statement: 'panic',
    log_min_duration_statement: '-1',
    log_parameter_max_length: '0',
    log_checkpoints: 'off',
    lc_messages: 'C',

    // Memory. The rest is for the system's cache, through which PostgreSQL reads, and for Node.
    shared_buffers: megabytes(1 / 8, 32, 1024),
    effective_cache_size: megabytes(1 / 2, 128, 1024 * 1024),
    maintenance_work_mem: megabytes(1 / 32, 16, 512),
    // Each sort or hash table of each connection may take this much.
    work_mem: `${between(memory / 256, 1, 8)}MB`,
    autovacuum_max_workers: memory < 1024 * mebibyte ? '1' : '3',
    huge_pages: 'try',

    // Only this program's pools connect. A schema per app and a table per class make many tables, and dropping an app locks all
    // of its tables at once.
    max_connections: '100',
    max_locks_per_transaction: '256',
    password_encryption: 'scram-sha-256',

    // Acknowledged writes are on disk.
    fsync: 'on',
    synchronous_commit: 'on',

    // Rare, spread-out checkpoints: after each one, the next change of every page writes the whole page to the log.
    checkpoint_timeout: '15min',
    checkpoint_completion_target: '0.9',
    max_wal_size: `${log}MB`,
    min_wal_size: `${Math.max(32, Math.round(log / 8))}MB`,
    // Full pages are logged uncompressed: pglz, the only method in this build, takes about 45 microseconds to compress one.
    wal_compression: 'off',

    // Most statements are short: compiling or parallelizing them costs more than it saves, and the shared memory that parallel
    // processes need is 64 MB in a container.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // A process that helps to build an index has normal priority, however low the priority of the process it helps.
    max_parallel_maintenance_workers: '0',
    random_page_cost: '1.1',
    // Asynchronous reads are used only by large scans; one process is enough on a small machine.
    io_method: 'worker',
    io_workers: '1',

    // By default vacuum starts when a fifth of a table has changed, whatever its size, and then has a lot to do at once.
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.02',

    timezone: 'UTC',
    log_timezone: 'UTC',
  }
}
