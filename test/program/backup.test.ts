import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../support/command.ts'
import { makeHome } from '../support/home.ts'
import { type Program, startProgram } from '../support/program.ts'

const APP = {
  HOMEPORT_APP_ID: 'backupapp0123456789012345',
  HOMEPORT_APP_KEY: 'backupkey0123456789012345',
  HOMEPORT_MASTER_KEY: 'backupmaster0123456789012',
}
const PASSPHRASE = { HOMEPORT_BACKUP_PASSPHRASE: 'correct horse battery' }

const home = makeHome(afterAll)
const target = join(home.directory, 'backups')
let server: Program

beforeAll(async () => {
  server = await home.start(['--backup-url', `file://${target}`], { ...APP, ...PASSPHRASE })
})

it('restores each write that was acknowledged before the end of a backup, beside the running server', async () => {
  const file = (await call(server, 'POST', '/1.1/files/note.txt', 'bytes of a file', 'text/plain')) as { url: string }
  const writing = new AbortController()
  const acknowledged: { objectId: string; at: number }[] = []
  const write = async () => {
    while (!writing.signal.aborted) {
      const { objectId } = (await create(server, { n: acknowledged.length })) as { objectId: string }
      acknowledged.push({ objectId, at: Date.now() })
    }
  }
  const writers = [write(), write()]
  const made = await runCommand(['backup', '--data', home.data])
  writing.abort()
  await Promise.all(writers)
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/checked: \d+ tables, \d+ rows/) })

  const restored = join(home.directory, 'restored')
  const environment = { ...PASSPHRASE, HOMEPORT_BACKUP_URL: `file://${target}` }
  const done = await runCommand(['restore', 'latest', '--data', restored], environment)
  expect(done.stderr).toBe('')
  const endedAt = Date.parse(/Restored to (\S+):/.exec(done.stdout)![1]!)
  const copy = await startProgram(['--data', restored], APP)
  try {
    const before = acknowledged.filter(({ at }) => at < endedAt).map(({ objectId }) => objectId)
    expect(before.length).toBeGreaterThan(0)
    const ids = new Set<string>()
    for (let skip = 0, found = 1000; found === 1000; skip += found) {
      const path = `/1.1/classes/Entry?keys=objectId&limit=1000&skip=${skip}`
      const { results } = (await call(copy, 'GET', path)) as { results: { objectId: string }[] }
      for (const { objectId } of results) ids.add(objectId)
      found = results.length
    }
    expect(before.filter((objectId) => !ids.has(objectId))).toEqual([])
    const url = new URL(file.url)
    expect(await (await fetch(copy.url + url.pathname)).text()).toBe('bytes of a file')
    expect((await call(server, 'GET', '/1.1/classes/Entry?limit=1')) as object).toMatchObject({ results: [{}] })
  } finally {
    await copy.stop()
  }
})

it('refuses to restore into the data directory of a running server, and with another passphrase', async () => {
  const environment = { ...PASSPHRASE, HOMEPORT_BACKUP_URL: `file://${target}` }
  const [name] = readdirSync(target)
  expect(await runCommand(['restore', name!, '--data', home.data], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is in use by process'),
  })
  const wrong = { ...environment, HOMEPORT_BACKUP_PASSPHRASE: 'another passphrase' }
  expect(await runCommand(['restore', join(target, name!), '--data', join(home.directory, 'w')], wrong)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The passphrase is wrong'),
  })
})

function create(program: Program, body: object): Promise<unknown> {
  return call(program, 'POST', '/1.1/classes/Entry', JSON.stringify(body))
}

async function call({ url }: Program, method: string, path: string, body?: string, type = 'application/json') {
  const headers = {
    'x-lc-id': APP.HOMEPORT_APP_ID,
    'x-lc-key': `${APP.HOMEPORT_MASTER_KEY},master`,
    ...(body !== undefined && { 'content-type': type }),
  }
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  const answer: unknown = await response.json()
  expect(response.status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}
