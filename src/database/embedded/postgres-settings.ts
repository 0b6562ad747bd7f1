import { totalmem } from 'node:os'

const mebibyte = 1024 ** 2

/**
 * PostgreSQL's settings for a small server that answers an API. They go on its command line and not into
 * postgresql.conf, so that a new Homeport brings its new ones.
 * `memory` is what the machine, or the container, has, in bytes.
 */
export function postgresSettings(memory: number = availableMemory()): Record<string, string> {
  const megabytes = (share: number, least: number, most: number) =>
    `${Math.round(Math.min(most, Math.max(least, (memory * share) / mebibyte)))}MB`
  return {
    // The log, as postgres-log.ts reads it: no statements, no values, which are our users' data. It comes first because
    // PostgreSQL reads in order, and complains about what follows in the form that is set by then.
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

    // Memory. The rest of it is the system's cache, which PostgreSQL reads through, and Node's.
    shared_buffers: megabytes(1 / 8, 64, 1024),
    effective_cache_size: megabytes(1 / 2, 256, 1024 * 1024),
    maintenance_work_mem: megabytes(1 / 32, 64, 512),
    huge_pages: 'try',

    // Connections are those of our own pools. A schema per app and a table per class make many tables, and dropping
    // an app locks all of its tables at once.
    max_connections: '100',
    max_locks_per_transaction: '256',
    password_encryption: 'scram-sha-256',

    // What was acknowledged is on disk.
    fsync: 'on',
    synchronous_commit: 'on',

    // Rare, spread out checkpoints: each one makes the next change of every page write the whole page to the log.
    checkpoint_timeout: '15min',
    checkpoint_completion_target: '0.9',
    max_wal_size: '2GB',
    min_wal_size: '256MB',
    // Such pages are logged as they are: pglz, all that it was built with, takes some 45 microseconds to compress one.
    wal_compression: 'off',

    // Many short statements: compiling them, or sharing one among processes, costs more than it saves; and the
    // memory which those processes share is 64 MB in a container.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // A process that helps to build an index gives way to nobody, however low the rank of the one that it helps.
    max_parallel_maintenance_workers: '0',
    random_page_cost: '1.1',
    // Asynchronous reads serve large scans only; one process for them is enough on a small machine.
    io_method: 'worker',
    io_workers: '1',

    // The default waits until a fifth of a table has changed, however large it is; then vacuum has a lot to do at once.
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.02',

    timezone: 'UTC',
    log_timezone: 'UTC',
  }
}

/** The machine's memory, or the limit of the container that we are in. */
function availableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
