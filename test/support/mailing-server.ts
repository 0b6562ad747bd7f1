import pg from 'pg'
import { afterAll, expect, vi } from 'vitest'
import { makeHome } from './home.ts'
import { type MailContent, readMail } from './mail-content.ts'
import type { Program } from './program.ts'
import { newDatabase } from './scratch-database.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** A separate server with a separate mail server. */
export interface MailingServer {
  readonly url: string
  readonly adminToken: string
  readonly program: Program
  /** Runs a statement on the server's database. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /**
   * Resolves with the mails to an address once no mail is waiting. They are in order of arrival; two sent concurrently can
   * arrive in either order.
   */
  mailsTo(address: string): Promise<MailContent[]>
}

/** Starts the server with an unredacted log. The server and its database are removed when the test file ends. */
export async function startMailingServer(): Promise<MailingServer> {
  const sink = await startSmtpSink()
  afterAll(() => sink.stop())
  const databaseUrl = await newDatabase()
  const adminToken = 'token-of-the-administrator-of-one-test'
  const options = ['--database-url', databaseUrl, '--smtp-url', sink.url]
  const environment = { HOMEPORT_ADMIN_TOKEN: adminToken, HOMEPORT_LOG_LEVEL: 'debug' }
  const program = await makeHome(afterAll).start(options, environment)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  // Its connections can still be closing when the database is dropped.
  pool.on('error', () => {})
  afterAll(() => pool.end())
  return {
    url: program.url,
    adminToken,
    program,
    sql: (text, values = []) => pool.query(text, values),
    async mailsTo(address) {
      await vi.waitFor(
        async () => expect((await pool.query(`SELECT FROM homeport.jobs WHERE kind = 'mail'`)).rowCount).toBe(0),
        { timeout: 60_000 },
      )
      return sink.mails.filter(({ to }) => to === address).map(({ content }) => readMail(content))
    },
  }
}
