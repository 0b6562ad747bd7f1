import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePostgresUser } from '../../src/database/embedded/postgres-user.ts'
import { startChildServer } from './child-server.ts'
import { findProgram } from './find-program.ts'
import { freePort } from './free-port.ts'

/** The installed PgBouncer; null: not installed, and tests that need it are skipped. */
export const pgbouncer = findProgram('HOMEPORT_TEST_PGBOUNCER', ['pgbouncer'], ['/usr/sbin/pgbouncer'])

if (pgbouncer === null)
  console.warn('Tests with PgBouncer are skipped: it was not found (Debian: apt-get install pgbouncer).')

/**
 * Starts a PgBouncer in front of a database, which stops at `atEnd`.
 * @param url the URL of the database
 * @returns the URL of the database through PgBouncer
 */
export async function startPgbouncer(
  url: string,
  mode: 'session' | 'transaction',
  atEnd: (end: () => Promise<void>) => void,
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  chmodSync(directory, 0o755)
  const user = choosePostgresUser(null, [pgbouncer!, directory])
  if (user.owner) chownSync(directory, user.owner.uid, user.owner.gid)
  const target = new URL(url)
  const host = target.searchParams.get('host') ?? target.hostname
  const port = target.searchParams.get('port') ?? (target.port || '5432')
  const [name, password] = [decodeURIComponent(target.username), decodeURIComponent(target.password)]
  const database = target.pathname.slice(1)
  const own = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${database} = host=${host} port=${port} dbname=${database} user=${name}${password ? ` password='${password}'` : ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 300
default_pool_size = 100
`,
  )
  const server = await startChildServer(user.command(pgbouncer!, [file]), own)
  atEnd(async () => {
    await server.end('SIGTERM')
    await rm(directory, { recursive: true, force: true })
  })
  return `postgresql://${name}@127.0.0.1:${own}/${database}`
}
