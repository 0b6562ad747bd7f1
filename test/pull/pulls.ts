import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { type CommandResult, runCommand } from '../support/command.ts'
import { MAIN, runProgram } from '../support/program.ts'
import { makeSourceProxy, type SourceProxy } from './source-proxy.ts'

/** Two apps, a source and a target. */
export interface Pull {
  readonly source: TestApp
  readonly target: TestApp
  readonly proxy: SourceProxy
  /** Runs `homeport pull` and waits until it ends. */
  run(...args: readonly string[]): Promise<CommandResult>
  /** Like `run`, in a separate process, which rejects private addresses that tests allow. */
  runApart(...args: readonly string[]): ReturnType<typeof runProgram>
  /** Starts a pull. */
  begin(...args: readonly string[]): ChildProcess
  /** Writes objects into the source unchanged. */
  fill(className: string, objects: readonly object[]): Promise<void>
  /** Reads the report of the last run. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a report by reading it
  report(): Promise<any>
  /** Reads the rejected records of the last run. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  rejected(): Promise<any[]>
}

/** @param passwords whether to request an export, which takes longer */
export async function makePull(passwords = false): Promise<Pull> {
  const source = await makeApp()
  const target = await makeApp()
  await source.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
  const proxy = await makeSourceProxy(source.url)
  const folder = mkdtempSync(join(tmpdir(), 'homeport-pull-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const fixed = ['pull', '--app', target.appId, '--url', target.url, '--from', proxy.url]
  const args = [...fixed, '--source-app', source.appId, '--report', folder, '--rate', '1000']
  if (!passwords) args.push('--no-passwords')
  const environment = { HOMEPORT_ADMIN_TOKEN: inject('adminToken'), HOMEPORT_SOURCE_MASTER_KEY: source.masterKey }
  let fills = 0
  return {
    source,
    target,
    proxy,
    run: (...more) => runCommand([...args, ...more], environment),
    runApart: (...more) => runProgram([...args, ...more], environment),
    begin: (...more) =>
      spawn(process.execPath, [MAIN, ...args, ...more], { env: { ...process.env, ...environment }, stdio: 'ignore' }),
    async fill(className, objects) {
      const path = `/imports/${String(++fills).padStart(64, '0')}`
      await source.admin('PUT', path, { source: 'the test' })
      for (let begin = 0; begin < objects.length; begin += 1000) {
        const items = objects.slice(begin, begin + 1000).map((object, at) => ({ at, text: JSON.stringify(object) }))
        const { body, status } = await source.admin('POST', `${path}/batches`, {
          of: { kind: 'objects', className },
          file: 'the test',
          from: { entry: 0, record: begin },
          to: { entry: 0, record: begin + items.length },
          items,
          onConflict: 'overwrite',
          dryRun: false,
        })
        if (status !== 200 || body.counts.rejected > 0) throw new Error(JSON.stringify(body).slice(0, 500))
      }
    },
    report: async () => JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')),
    rejected: async () =>
      (await readFile(join(folder, 'rejected.jsonl'), 'utf8'))
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line)),
  }
}

/** Returns all objects of a class with all data, by id. An object without an ACL is public. */
export async function everything(app: TestApp, className: string): Promise<Map<string, object>> {
  const { rows } = await app.sql(
    `SELECT id, created_at, updated_at, coalesce(acl, '{"*":{"read":true,"write":true}}') AS acl, readers, writers, data
    FROM "${className}" ORDER BY id`,
  )
  return new Map(rows.map(({ id, ...rest }) => [id, rest]))
}
