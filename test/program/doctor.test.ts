import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, inject, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const home = makeHome(afterAll)
// Not the one of other tests: the doctor examines their apps.
const databaseUrl = await newDatabase()
const doctor = (...options: string[]) => runCommand(['doctor', '--data', home.data, ...options])

test('a healthy machine: exit code 0, a line for each finding and for each fix, and nothing created', async () => {
  // As a separate process, to test its exit code.
  const { code, stdout, stderr } = await runProgram(['doctor', '--data', home.data])
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.trimEnd().split('\n')
  for (const [index, line] of lines.entries()) {
    expect(line).toMatch(/^(ok {7}|warning {2}) ?\S.* \[[a-z-]+\]$|^ {9}Fix: \S/)
    if (line.startsWith('warning')) expect(lines[index + 1]).toMatch(/^ {9}Fix: /)
  }
  expect(existsSync(home.data)).toBe(false)
  const strict = await doctor('--strict')
  expect(strict.code).toBe(3)
  expect(stdout).toContain(`Node ${process.versions.node}`)
  expect(stdout).toContain('embedded PostgreSQL')
  expect(stdout).toContain('server: not running')
})

test('an external database', async () => {
  const { code, stdout } = await doctor('--database-url', databaseUrl)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok +PostgreSQL \d+/m)
  expect(stdout).not.toContain(password())
})

test('the file store: tests it, leaves nothing, and creates no folder', async () => {
  const folder = join(home.directory, 'shared')
  const url = pathToFileURL(folder).href
  expect((await doctor()).stdout).toMatch(/^ok +files: will be stored in the folder .*files \[files-later\]$/m)
  const missing = await doctor('--files-url', url)
  expect(missing.code).toBe(1)
  expect(missing.stdout).toMatch(/^error +Files cannot be stored in the folder .*shared: the folder does not exist/m)
  mkdirSync(folder)
  const { code, stdout } = await doctor('--files-url', url)
  expect([code, readdirSync(folder)]).toEqual([0, []])
  expect(stdout).toMatch(/^ok +files: stored in the folder .*shared \[files\]$/m)
  expect(stdout).not.toContain('several nodes')
})

test('files that other servers could not find', async () => {
  const url = databaseUrl
  const warning = /^warning +files are stored in the data directory of this machine: .*--files-url/m
  expect((await doctor('--database-url', url)).stdout).toMatch(warning)
  expect((await doctor('--redis-url', 'redis://127.0.0.1:9')).stdout).toMatch(warning)
  const elsewhere = pathToFileURL(home.directory).href
  expect((await doctor('--database-url', url, '--files-url', elsewhere)).stdout).not.toMatch(warning)
})

test('images that could not be cached', async () => {
  expect((await doctor()).stdout).not.toContain('pictures')
  const pictures = join(home.data, 'pictures')
  mkdirSync(pictures, { recursive: true })
  expect((await doctor()).stdout).toMatch(/^ok +image cache: .*pictures \[pictures\]$/m)
  rmSync(pictures, { recursive: true })
  writeFileSync(pictures, '')
  expect(await doctor()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^warning +image cache: .*pictures must be a writable folder/m),
  })
  rmSync(home.data, { recursive: true })
})

test('an unreachable S3: exit code 1, and its secret is not shown', async () => {
  const url = 's3://KEY:geheim@bucket/prefix?endpoint=http://127.0.0.1:9'
  const { code, stdout, stderr } = await runCommand(['doctor', '--data', home.data], { HOMEPORT_FILES_URL: url })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^error +Files cannot be stored in the s3 bucket bucket, prefix prefix \(http:.*ECONNREFUSED/m)
  expect(stdout + stderr).not.toContain('geheim')
  const refused = await doctor('--files-url', url)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/--files-url: secrets must not be passed on the command line/)
  expect(refused.stdout + refused.stderr).not.toContain('geheim')
})

test('which proxies are trusted', async () => {
  expect((await doctor()).stdout).toMatch(/^ok +trusted proxies: loopback, linklocal, uniquelocal;/m)
  expect((await doctor()).stdout).toMatch(/^warning +no public URL is set \(--public-url\): /m)
  const named = await doctor('--trusted-proxies', '10.1.0.0/16', '--public-url', 'https://api.example.org')
  expect(named.stdout).toMatch(/^ok +trusted proxies: 10\.1\.0\.0\/16;/m)
  expect(named.stdout).not.toContain('no public URL')
  expect((await doctor('--public-url', 'http://api.example.org')).stdout).toMatch(
    /^warning +the public URL .* is http/m,
  )
})

test('an unreachable database: exit code 1, and its password is not shown', async () => {
  const wrong = new URL(inject('databaseUrl'))
  wrong.password = 'a-wrong-password'
  for (const url of ['postgresql://user:a-wrong-password@127.0.0.1:9/homeport', wrong.href]) {
    const { code, stdout } = await doctor('--database-url', url)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error +cannot connect to the database: \S/m)
    expect(stdout).not.toContain('a-wrong-password')
  }
})

function password(): string {
  return decodeURIComponent(new URL(inject('databaseUrl')).password)
}
