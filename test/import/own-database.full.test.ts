import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { postgresPrograms, startPostgres } from '../support/replicated-postgres.ts'
import { exportFile } from './imports.ts'

// The embedded PostgreSQL is newer than the oldest supported version, and supports syntax that this one lacks.
describe.skipIf(postgresPrograms === null)('into an external PostgreSQL', { timeout: 120_000 }, () => {
  test('imports, vacuums and counts a large class', async () => {
    const database = await startPostgres(onTestFinished)
    const home = makeHome(onTestFinished)
    const token = inject('adminToken')
    const { url } = await home.start(['--database-url', database.url], {
      HOMEPORT_ADMIN_TOKEN: token,
      HOMEPORT_APP_ID: 'large',
      HOMEPORT_APP_KEY: 'key-of-the-large-one',
      HOMEPORT_MASTER_KEY: 'master-key-of-the-large-one',
    })
    const amount = 60_000
    const file = join(home.directory, 'Thing.0.jsonl')
    writeFileSync(
      file,
      exportFile(
        'Thing',
        Array.from({ length: amount }, (_, n) => ({ objectId: `o${n}`, n })),
      ),
    )
    const args = ['import', '--app', 'large', '--url', url, '--report', join(home.directory, 'report'), file]
    const { code, stdout, stderr } = await runProgram(args, { HOMEPORT_ADMIN_TOKEN: token })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(String(amount))
    const [table] = await database.query(
      `SELECT relallvisible > 0 AS is_vacuumed, reltuples::integer AS objects
       FROM pg_class WHERE oid = 'app_large."Thing"'::regclass`,
      [],
      'homeport',
    )
    expect(table).toEqual({ is_vacuumed: true, objects: amount })
  })
})
