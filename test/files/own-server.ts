import pg from 'pg'
import { afterAll } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { type Home, makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

export const ADMIN_TOKEN = 'token-of-the-administrator-of-the-files'

/** A separate server with an app. */
export interface FilesServer {
  readonly home: Home
  readonly program: Program
  readonly app: TestApp
}

/** Starts a server on a separate database; both are removed when the test file ends. Must be called at its top level. */
export async function startFilesServer(environment: Record<string, string> = {}): Promise<FilesServer> {
  const databaseUrl = await newDatabase()
  const home = makeHome(afterAll)
  const program = await home.start(['--database-url', databaseUrl], {
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
    ...environment,
  })
  return { home, program, app: await ownApp(program.url, databaseUrl) }
}

/** Creates an app on a separate server, with direct access to its database. */
async function ownApp(url: string, databaseUrl: string): Promise<TestApp> {
  const app = await makeApp(url, ADMIN_TOKEN)
  const options = `-c search_path="app_${app.appId}",homeport`
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, options })
  pool.on('error', () => {})
  afterAll(() => pool.end())
  return { ...app, sql: (text, values = []) => pool.query(text, values) }
}
