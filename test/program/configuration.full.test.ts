import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { launchProgram, type Program, runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const databaseUrl = await newDatabase()

const GOOD = { HOMEPORT_APP_ID: 'app', HOMEPORT_APP_KEY: 'good-app-key', HOMEPORT_MASTER_KEY: 'good-master-key' }

describe('a wrong option or value exits with code 2 and one clear line', () => {
  test.each<[options: string[], environment: Record<string, string>, line: RegExp]>([
    [['--nonsense'], {}, /^homeport: unknown option '--nonsense'/],
    [['--prot', '3000'], {}, /^homeport: unknown option '--prot'.*--port/s],
    [['--port'], {}, /^homeport: option '--port <value>' argument missing/],
    [['--port', 'many'], {}, /--port \(HOMEPORT_PORT\): must be a whole number from 0 to 65535/],
    [['--port', '65536'], {}, /--port \(HOMEPORT_PORT\): .*65535/],
    [
      ['--database-url', 'mysql://x/y'],
      {},
      /--database-url \(HOMEPORT_DATABASE_URL\): must be a URL such as postgresql:/,
    ],
    [['--trusted-proxies', '1'], {}, /--trusted-proxies \(HOMEPORT_TRUSTED_PROXIES\): must be .*10\.1\.0\.0\/16/],
    [['--log-level', 'loud'], {}, /--log-level \(HOMEPORT_LOG_LEVEL\): .*debug/],
    [['extra'], {}, /^homeport: too many arguments/],
    [[], { HOMEPORT_ADMIN_TOKEN: 'short' }, /HOMEPORT_ADMIN_TOKEN: must have at least 16 characters/],
    [[], { HOMEPORT_APP_ID: 'app' }, /HOMEPORT_APP_ID, HOMEPORT_APP_KEY and HOMEPORT_MASTER_KEY must all be set/],
    [[], { HOMEPORT_HOOK_KEY: 'only-a-hook-key' }, /must all be set, or none of them\. HOMEPORT_HOOK_KEY is optional/],
    [[], { ...GOOD, HOMEPORT_APP_ID: 'a b' }, /HOMEPORT_APP_ID: must consist of 1 to 48 letters/],
    [
      [],
      { ...GOOD, HOMEPORT_APP_KEY: 'with,a,comma' },
      /HOMEPORT_APP_KEY: must have 8 to 128 printable characters and no comma/,
    ],
    [[], { ...GOOD, HOMEPORT_MASTER_KEY: GOOD.HOMEPORT_APP_KEY }, /must differ from each other/],
  ])('start %j %j', async (options, environment, line) => {
    const { code, stdout, stderr } = await runProgram(['start', ...options], environment, directory)
    expect(stderr).toMatch(line)
    expect(stderr).not.toMatch(/\n {4}at /)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    // Commander adds a line with a suggestion.
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((text) => !text.startsWith('(Did you mean')),
    ).toHaveLength(1)
  })

  test('reports all faults at once', async () => {
    const { code, stderr } = await runProgram(['start', '--port', 'x', '--log-level', 'loud'], {}, directory)
    expect(code).toBe(2)
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
  })

  test.each([
    ['no JSON', '{', /homeport\.config\.json must contain a JSON object/],
    ['no object', '[]', /homeport\.config\.json must contain a JSON object/],
    ['an unknown option', '{"prot":3000}', /unknown option: prot/],
    ['a wrong value', '{"port":"x"}', /port/],
  ])('homeport.config.json with %s', async (_, text, line) => {
    const own = mkdtempSync(join(directory, 'file-'))
    writeFileSync(join(own, 'homeport.config.json'), text)
    const { code, stderr } = await runProgram(['start'], {}, own)
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1])
    expect(stderr).toMatch(line)
  })

  test('an unknown command', async () => {
    const { code, stderr } = await runProgram(['strat'], {}, directory)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^homeport: unknown command 'strat'/)
  })
})

test('help exits 0 and names every option', async () => {
  const { code, stdout } = await runProgram(['start', '--help'])
  expect(code).toBe(0)
  for (const flag of ['--port', '--host', '--data', '--database-url', '--redis-url', '--smtp-url', '--public-url'])
    expect(stdout).toContain(flag)
})

test('a port in use exits 1 with one line, and creates neither the database nor the app', async () => {
  const blocker = createServer()
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void blocker.close())
  const { port } = blocker.address() as { port: number }
  const data = join(directory, 'taken')
  const start = ['start', '--host', '127.0.0.1', '--port', String(port), '--data', data]
  const { code, stdout, stderr } = await runProgram(start)
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toBe(
    `homeport: Port ${port} is already in use by another program. Stop that program, or choose another port with --port.\n`,
  )
  // The first start that succeeds creates the database and the app, and shows the keys.
  expect(existsSync(join(data, 'postgres'))).toBe(false)
})

describe('flags override the environment, which overrides homeport.config.json in the working directory', () => {
  test('on a real start', async () => {
    const own = mkdtempSync(join(directory, 'precedence-'))
    const file = { data: 'from-file', host: '127.0.0.1', port: 0, databaseUrl, publicUrl: 'http://file.example' }
    writeFileSync(join(own, 'homeport.config.json'), JSON.stringify(file))
    const environment = {
      HOMEPORT_PUBLIC_URL: 'http://environment.example',
      HOMEPORT_DATA: join(own, 'from-environment'),
    }
    const flags = ['--public-url', 'http://flag.example', '--data', join(own, 'from-flag')]

    const fromFile = await start([], {}, own)
    expect(await publicHost(fromFile)).toBe('file.example')
    expect(dataOf(own)).toEqual(['from-file'])
    await fromFile.stop()

    const fromEnvironment = await start([], environment, own)
    expect(await publicHost(fromEnvironment)).toBe('environment.example')
    expect(dataOf(own)).toEqual(['from-environment', 'from-file'])
    await fromEnvironment.stop()

    const fromFlag = await start(flags, environment, own)
    expect(await publicHost(fromFlag)).toBe('flag.example')
    expect(dataOf(own)).toEqual(['from-environment', 'from-file', 'from-flag'])
    await fromFlag.stop()
  })
})

/** Returns the host the server uses in its own URLs. */
async function publicHost({ url }: Program): Promise<string> {
  const { body } = await call(url, 'GET', '/2/route?appId=any', {}, undefined)
  return body.api_server
}

async function start(options: string[], environment: Record<string, string>, own: string): Promise<Program> {
  const program = await launchProgram(['start', ...options], environment, own)
  onTestFinished(async () => {
    if (program.process.exitCode === null) await program.stop()
  })
  return program
}

function dataOf(own: string): string[] {
  return readdirSync(own)
    .filter((name) => name.startsWith('from-'))
    .sort()
}
