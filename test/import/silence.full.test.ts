import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'
import { startMailingServer } from '../support/mailing-server.ts'
import { runProgram } from '../support/program.ts'
import { exportFile } from './imports.ts'

const server = await startMailingServer()
const app = await makeApp(server.url, server.adminToken)
const folder = mkdtempSync(join(tmpdir(), 'homeport-silence-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const CLASSES = ['Item', '_User', '_Installation', '_File']
const engine = await startEngine(
  app,
  `${NOTE}
  for (const className of ${JSON.stringify(CLASSES)})
    for (const hook of ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate'])
      AV.Cloud[hook](className, (request) => note(hook, request))
  AV.Cloud.onVerified('email', (request) => note('onVerified', request))
  `,
  afterAll,
)

const master = (method: string, path: string, body: unknown) =>
  app.request(method, `/1.1${path}`, { master: true, body })

test('an import and writes during it trigger no cloud code and no mail', {
  timeout: 120_000,
}, async () => {
  await app.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
  const bring = async (objects: Readonly<Record<string, readonly object[]>>, ...flags: readonly string[]) => {
    const files = Object.entries(objects).map(async ([className, rows]) => {
      const file = join(folder, `${className}.0.jsonl`)
      await writeFile(file, exportFile(className, rows))
      return file
    })
    const report = join(folder, 'report')
    const args = ['--app', app.appId, '--url', app.url, '--report', report, ...flags]
    const run = await runProgram(['import', ...args, ...(await Promise.all(files))], {
      HOMEPORT_ADMIN_TOKEN: server.adminToken,
    })
    expect(run.code, run.stdout + run.stderr).toBe(0)
  }
  const objects = (updatedAt: string) => ({
    Item: [{ objectId: 'i1', updatedAt, name: 'imported' }],
    _User: [{ objectId: 'u1', updatedAt, username: 'Mei', email: 'imported@example.org', name: 'imported' }],
    _Installation: [{ objectId: 'd1', updatedAt, installationId: 'x', deviceType: 'ios', name: 'imported' }],
    _File: [{ objectId: 'f1', updatedAt, key: 'k', name: 'imported', metaData: { size: 0 } }],
  })
  await bring(objects('2021-03-04T05:06:07.001Z'))
  await bring(objects('2022-03-04T05:06:07.001Z'), '--on-conflict', 'overwrite')

  // Later writes trigger hooks: earlier ones would have been notified by then.
  await master('POST', '/classes/Item', { name: 'written' })
  await master('PUT', '/classes/Item/i1', { other: 1 })
  await master('POST', '/users', { username: 'Wu', password: 'secret', email: 'written@example.org' })
  await expect.poll(() => notesOf(engine, { hook: 'afterUpdate' }), PATIENTLY).toHaveLength(1)
  await expect.poll(() => notesOf(engine, { hook: 'afterSave' }), PATIENTLY).toHaveLength(2)
  expect(await server.mailsTo('written@example.org')).toHaveLength(1)
  expect(await server.mailsTo('imported@example.org')).toEqual([])
  const heard = notesOf(engine).map(({ hook, object }) => [hook, object.name ?? object.username])
  expect(heard.toSorted()).toEqual([
    ['afterSave', 'Wu'],
    ['afterSave', 'written'],
    ['afterUpdate', 'imported'],
    ['beforeSave', 'Wu'],
    ['beforeSave', 'written'],
    ['beforeUpdate', 'imported'],
  ])
})
