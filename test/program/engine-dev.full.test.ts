import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { isAlive, makeHome } from '../support/home.ts'
import { MAIN, runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const ENGINE = fileURLToPath(new URL('../support/cloud-code/main.cjs', import.meta.url))
const CODE = `
  AV.Cloud.define('hello', () => 'from here')
  AV.Cloud.define('pid', () => process.pid)
  AV.Cloud.define('environment', () => ({
    homeport: Object.keys(process.env).filter((name) => name.startsWith('HOMEPORT_')),
    app: process.env.LEANCLOUD_APP_ENV,
    api: process.env.LEANCLOUD_API_SERVER,
  }))
  AV.Cloud.define('end', () => { setTimeout(() => process.exit(7), 50) })
  AV.Cloud.define('count', () => new AV.Query('_Role').count({ useMasterKey: true }))
`
const ADMIN_TOKEN = 'token-of-the-administrator-of-engine-dev'
const ELSEWHERE = 'http://127.0.0.1:9'

const home = makeHome(afterAll)
const server = await home.start(['--database-url', await newDatabase()], { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN })
const admin = async (method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return (await call(server.url, method, path, headers, body)).body
}
const [app] = (await admin('GET', '/admin/apps')).apps
const engines = async () => (await admin('GET', `/admin/apps/${app.appId}/settings`)).engine
const run = (name: string, prod = '1') => {
  const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey, 'x-lc-prod': prod }
  return call(server.url, 'POST', `/1.1/functions/${name}`, headers, {})
}

const directory = await mkdtemp(join(home.directory, 'cloud-code-'))
await writeFile(join(directory, 'cloud.cjs'), CODE)
const START = [process.execPath, ENGINE, join(directory, 'cloud.cjs')]

interface Dev {
  readonly process: ChildProcess
  readonly url: string
  output(): string
  /** Sends a signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `homeport engine dev` and waits until it reports that it is ready. */
async function dev(flags: readonly string[] = [], command: readonly string[] = START, at = directory): Promise<Dev> {
  const port = await freePort()
  const args = ['engine', 'dev', '--data', home.data, '--port', String(port), ...flags]
  const child = spawn(process.execPath, [MAIN, ...args, ...(command.length > 0 ? ['--', ...command] : [])], {
    cwd: at,
    env: { ...process.env, HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const end = (signal?: NodeJS.Signals) => {
    if (signal) child.kill(signal)
    return ended
  }
  onTestFinished(async () => void (await end('SIGTERM')))
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/homeport: ready: /)
  return { process: child, url: `http://localhost:${port}`, output: () => output, end }
}

afterEach(() => admin('PATCH', `/admin/apps/${app.appId}/settings`, { engine: { production: null, staging: null } }))

describe('homeport engine dev', { timeout: 90_000 }, () => {
  it('registers a command as the engine of the app while it runs, and Ctrl-C ends it', async () => {
    const { url, end, output } = await dev()
    expect(output()).toContain(`${url} serves staging and production of ${app.name} until you press Ctrl-C`)
    expect(await engines()).toMatchObject({ production: url, staging: url })
    for (const prod of ['0', '1']) expect((await run('hello', prod)).body).toEqual({ result: 'from here' })
    expect((await run('count')).body).toEqual({ result: 0 })
    const { result: pid } = (await run('pid')).body
    expect(await end('SIGINT')).toBe(0)
    expect(await engines()).toEqual({})
    expect(isAlive(pid)).toBe(false)
    // The last output can arrive after the exit.
    await expect.poll(output).toMatch(/previous engine settings restored\n$/)
  })

  it('passes the app to the code, and no secret of the server', async () => {
    await dev()
    expect((await run('environment')).body.result).toEqual({ homeport: [], app: 'development', api: server.url })
  })

  it('keeps a production engine unless overridden', async () => {
    const set = { engine: { production: ELSEWHERE, staging: ELSEWHERE } }
    await admin('PATCH', `/admin/apps/${app.appId}/settings`, set)
    const first = await dev()
    expect(await engines()).toEqual({ production: ELSEWHERE, staging: first.url })
    await first.end('SIGTERM')
    expect(await engines()).toEqual({ production: ELSEWHERE, staging: ELSEWHERE })
    const second = await dev(['--production'])
    expect(await engines()).toEqual({ production: second.url, staging: second.url })
    await second.end('SIGTERM')
    expect(await engines()).toEqual({ production: ELSEWHERE, staging: ELSEWHERE })
  })

  it('does not restore settings that were changed meanwhile', async () => {
    const { end, url } = await dev()
    await admin('PATCH', `/admin/apps/${app.appId}/settings`, { engine: { production: ELSEWHERE } })
    expect(await engines()).toEqual({ production: ELSEWHERE, staging: url })
    await end('SIGINT')
    expect(await engines()).toEqual({ production: ELSEWHERE })
  })

  it('ignores leftovers of a killed run', async () => {
    const first = await dev()
    const { result: pid } = (await run('pid')).body
    await first.end('SIGKILL')
    process.kill(pid, 'SIGKILL')
    expect(await engines()).toMatchObject({ production: first.url })
    const second = await dev(['--engine-url', first.url])
    await second.end('SIGINT')
    expect(await engines()).toEqual({})
  })

  it('runs npm start by default', async () => {
    const project = await mkdtemp(join(home.directory, 'project-'))
    await writeFile(join(project, 'package.json'), JSON.stringify({ scripts: { start: START.join(' ') } }))
    const { end } = await dev(['--app', app.appId], [], project)
    const { result: pid } = (await run('pid')).body
    expect(await end('SIGINT')).toBe(0)
    // npm does not wait for it: both receive the signal.
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('ends with the command and its exit code, and restores the settings', async () => {
    const { end } = await dev()
    await run('end')
    expect(await end()).toBe(7)
    expect(await engines()).toEqual({})
  })
})

describe('homeport engine dev that cannot start', () => {
  const attempt = async (flags: readonly string[], command: readonly string[], at?: string) => {
    const args = ['engine', 'dev', '--data', home.data, ...flags, ...(command.length > 0 ? ['--', ...command] : [])]
    const { code, stderr } = await runProgram(args, { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN }, at)
    expect(await engines()).toEqual({})
    return [code, stderr]
  }

  it('a command that exits at once', async () => {
    const flags = ['--port', String(await freePort())]
    expect(await attempt(flags, [process.execPath, '-e', 'process.exit(3)'])).toEqual([
      1,
      expect.stringMatching(/^homeport: .*exited with 3 before it was ready\n$/),
    ])
  })

  it('a command that does not exist', async () => {
    const flags = ['--port', String(await freePort())]
    expect(await attempt(flags, ['no-such-program'])).toEqual([
      1,
      expect.stringMatching(/^homeport: cannot run no-such-program: .*\n$/),
    ])
  })

  it('no command, and no default one', async () => {
    const empty = await mkdtemp(join(home.directory, 'empty-'))
    expect(await attempt([], [], empty)).toEqual([
      1,
      expect.stringMatching(/^homeport: .*give the command to run.*\n$/),
    ])
  })

  it('a port in use', async () => {
    const port = new URL(server.url).port
    expect(await attempt(['--port', port], START)).toEqual([
      1,
      expect.stringMatching(/^homeport: port \d+ is already in use/),
    ])
  })

  it('several apps, none selected', async () => {
    const { appId } = await admin('POST', '/admin/apps', { name: 'second' })
    const [code, stderr] = await attempt([], START)
    await admin('DELETE', `/admin/apps/${appId}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${appId} (second)`)])
  })
})
