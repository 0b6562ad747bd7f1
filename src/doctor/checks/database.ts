import { dirname, join } from 'node:path'
import type pg from 'pg'
import { Connection } from '../../database/connection.ts'
import { parseDatabaseUrl } from '../../database/database-url.ts'
import { findPostgresBinaries } from '../../database/embedded/postgres-binaries.ts'
import { Servers } from '../../database/servers.ts'
import { checkSessions } from '../../database/session-mode.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const MINIMUM_DATABASE = 150_000
/** Milliseconds to connect. */
const TIMEOUT_MS = 5000

/** Checks that the database can be used: the binaries of the embedded one, or the server of `--database-url`. */
export async function checkDatabase({ config, database, notOpened }: Examination): Promise<Finding[]> {
  const findings =
    config.databaseUrl === null ? await checkBinaries(config.data) : await checkServer(config.databaseUrl)
  if (notOpened !== null) findings.push(warning('doctorDatabaseNotOpened', { reason: notOpened }))
  if (database?.isDiskFull) findings.push(failure('doctorDatabaseFull'))
  return findings
}

async function checkBinaries(data: string): Promise<Finding[]> {
  try {
    const { postgres } = await findPostgresBinaries(join(data, 'postgres-libraries'))
    return [fine('doctorEmbedded', { path: dirname(postgres) })]
  } catch (error) {
    return [failure('doctorEmbeddedMissing', { reason: reasonOf(error) })]
  }
}

interface Found {
  readonly number: string
  readonly version: string
  readonly encoding: string
  readonly collation: string
  readonly writable: boolean
  readonly may_create: boolean
  readonly cube: boolean
}

async function checkServer(url: string): Promise<Finding[]> {
  const servers = new Servers(parseDatabaseUrl(url))
  const connect = () => new Connection({ servers, settings: {}, connectionTimeoutMillis: TIMEOUT_MS }).connect()
  let client: pg.Client | undefined
  try {
    client = await connect()
    const { rows } = await client.query<Found>(`
      SELECT current_setting('server_version_num') AS number,
        current_setting('server_version') AS version,
        current_setting('server_encoding') AS encoding,
        datcollate AS collation,
        current_setting('transaction_read_only') = 'off' AS writable,
        has_database_privilege(current_database(), 'CREATE') AS may_create,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'cube') AS cube
      FROM pg_database WHERE datname = current_database()`)
    await checkSessions(connect)
    return findingsOf(rows[0]!)
  } catch (error) {
    return [failure('doctorDatabaseUnreachable', { reason: reasonOf(error) })]
  } finally {
    await client?.end().catch(() => {})
    servers.stop()
  }
}

function findingsOf({ number, version, encoding, collation, writable, may_create, cube }: Found): Finding[] {
  const findings = [
    Number(number) < MINIMUM_DATABASE ? failure('doctorDatabaseOld', { version }) : fine('doctorDatabase', { version }),
  ]
  if (encoding !== 'UTF8') findings.push(failure('doctorDatabaseEncoding', { encoding }))
  if (!/^(C|POSIX|C\.UTF-?8)$/i.test(collation)) findings.push(warning('doctorDatabaseCollation', { collation }))
  if (!writable) findings.push(failure('doctorDatabaseReadOnly'))
  if (!may_create) findings.push(failure('doctorDatabaseNoSchemas'))
  if (!cube) findings.push(failure('doctorDatabaseNoCube'))
  return findings
}
