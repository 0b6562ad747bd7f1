import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../../config.ts'
import { givenVariables, type InstallOptions, install } from './install.ts'
import type { Machine } from './machine.ts'
import { ENVIRONMENT_FILE, UNIT_FILE } from './paths.ts'
import { status } from './status.ts'
import { uninstall } from './uninstall.ts'

let root: string
/** The commands that were run, in order. */
let ran: string[]
let isActive: boolean
let hasUser: boolean

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  ran = []
  isActive = false
  hasUser = false
})
afterEach(() => rmSync(root, { recursive: true }))

/** A machine whose systemd and users are stand-ins. Its files are in `root`. */
function machine(changed: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux',
    isRoot: true,
    hasSystemd: true,
    root,
    run: (program, args) => {
      const words = [program, ...args].join(' ')
      if (program === 'id') return { code: hasUser ? 0 : 1, output: String(process.getuid?.() ?? 0) }
      if (words.includes('is-active --quiet')) return { code: isActive ? 0 : 3, output: '' }
      if (args[0] === 'is-active') return { code: 0, output: isActive ? 'active' : 'inactive' }
      if (args[0] === 'is-enabled') return { code: 0, output: 'enabled' }
      ran.push(words)
      if (program === 'useradd') hasUser = true
      if (args[0] === 'restart') isActive = true
      return { code: 0, output: '' }
    },
    healthyServer: async () => (isActive ? 'http://localhost:3000' : null),
    ...changed,
  }
}

const options = (variables: Readonly<Record<string, string>> = {}): InstallOptions => ({
  variables,
  program: { node: '/usr/bin/node', main: '/usr/lib/node_modules/homeport-server/bin/homeport.mjs' },
  start: true,
})
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('install', () => {
  test('creates the user, writes the unit and a file that only root can read, and starts the service', async () => {
    const lines = await install(machine(), options({ HOMEPORT_PORT: '8080' }))
    expect(ran.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
      'useradd --system',
      'test -x',
      'systemctl daemon-reload',
      'systemctl enable',
      'systemctl restart',
    ])
    expect(read(ENVIRONMENT_FILE)).toContain('HOMEPORT_PORT="8080"\n')
    expect(statSync(join(root, ENVIRONMENT_FILE)).mode & 0o777).toBe(0o600)
    expect(read(UNIT_FILE)).toContain(
      'ExecStart=/usr/bin/node /usr/lib/node_modules/homeport-server/bin/homeport.mjs start\n',
    )
    expect(lines.join('\n')).toContain('http://localhost:3000')
  })

  test('changes nothing when it is repeated', async () => {
    await install(machine(), options())
    const before = [read(UNIT_FILE), read(ENVIRONMENT_FILE)]
    ran = []
    await install(machine(), options())
    expect([read(UNIT_FILE), read(ENVIRONMENT_FILE)]).toEqual(before)
    expect(ran.join()).not.toMatch(/restart|useradd/)
  })

  test('restarts the service when an option changes, and keeps the others', async () => {
    await install(machine(), options({ HOMEPORT_PORT: '8080', HOMEPORT_LOG_LEVEL: 'warn' }))
    ran = []
    await install(machine(), options({ HOMEPORT_PORT: '443' }))
    expect(read(ENVIRONMENT_FILE)).toMatch(/HOMEPORT_PORT="443"\nHOMEPORT_LOG_LEVEL="warn"\n/)
    expect(read(UNIT_FILE)).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE\n')
    expect(ran).toContain('systemctl restart homeport.service')
  })

  test('checks the options before it writes anything', async () => {
    await expect(install(machine(), options({ HOMEPORT_PORT: 'many' }))).rejects.toThrow(ConfigError)
    expect(existsSync(join(root, UNIT_FILE))).toBe(false)
    expect(ran).toEqual([])
  })

  test('refuses a Node.js that the user of the service cannot reach', async () => {
    const closed = machine({
      run: (program) => ({ code: program === 'test' ? 1 : 0, output: '7' }),
    })
    await expect(install(closed, options())).rejects.toThrow('Install Node.js for all users')
    expect(existsSync(join(root, UNIT_FILE))).toBe(false)
  })

  test('reports a service that does not start, with the command that shows why', async () => {
    const failing = machine({ healthyServer: async () => null })
    await expect(install(failing, options())).rejects.toThrow('journalctl -u homeport')
  })

  test.each([
    ['without root', { isRoot: false }, 'Only root can install a service'],
    ['without systemd', { hasSystemd: false }, 'systemd does not run on this machine'],
    ['on another system', { platform: 'darwin' as const }, 'A service needs Linux with systemd'],
  ])('%s it says so and changes nothing', async (_, changed, message) => {
    await expect(install(machine(changed), options())).rejects.toThrow(message)
    expect(existsSync(join(root, UNIT_FILE))).toBe(false)
  })

  test('refuses a data directory of another user, with the command that changes it', async () => {
    mkdirSync(join(root, 'srv/data'), { recursive: true })
    const others = machine({ run: () => ({ code: 0, output: '7' }) })
    await expect(install(others, options({ HOMEPORT_DATA: '/srv/data' }))).rejects.toThrow(
      'chown -R homeport:homeport /srv/data',
    )
    expect(existsSync(join(root, UNIT_FILE))).toBe(false)
  })

  test('refuses a secret in a flag', () => {
    expect(() => givenVariables({ filesUrl: 's3://KEY:SECRET@bucket' }, {})).toThrow('Set HOMEPORT_FILES_URL instead')
  })

  test('takes options from flags and variables, flags first', () => {
    const environment = { HOMEPORT_PORT: '1', HOMEPORT_DATABASE_URL: 'postgresql://u:p@h/d', HOMEPORT_UNKNOWN: 'x' }
    expect(givenVariables({ port: '2' }, environment)).toEqual({
      HOMEPORT_PORT: '2',
      HOMEPORT_DATABASE_URL: 'postgresql://u:p@h/d',
    })
  })
})

describe('uninstall', () => {
  const data = '/var/lib/homeport'
  beforeEach(async () => {
    await install(machine(), options())
    mkdirSync(join(root, data, 'files'), { recursive: true })
    ran = []
  })

  test('stops the service and keeps data and options', () => {
    writeFileSync(join(root, data, 'node-id'), '')
    uninstall(machine(), { deleteData: false })
    expect(ran).toContain('systemctl disable --quiet --now homeport.service')
    expect(existsSync(join(root, UNIT_FILE))).toBe(false)
    expect(existsSync(join(root, data, 'files'))).toBe(true)
    expect(existsSync(join(root, ENVIRONMENT_FILE))).toBe(true)
    expect(uninstall(machine(), { deleteData: false })[0]).toBe('The service is not installed.')
  })

  test('deletes data, options and user when it is asked to', () => {
    writeFileSync(join(root, data, 'node-id'), '')
    uninstall(machine(), { deleteData: true })
    expect(existsSync(join(root, data))).toBe(false)
    expect(existsSync(join(root, ENVIRONMENT_FILE))).toBe(false)
    expect(ran).toContain('userdel homeport')
  })

  test('does not delete a directory that is no data directory', () => {
    expect(() => uninstall(machine(), { deleteData: true })).toThrow('is not a data directory of Homeport')
    expect(existsSync(join(root, data, 'files'))).toBe(true)
    expect(existsSync(join(root, UNIT_FILE))).toBe(true)
  })
})

test('status is 4 when not installed, 3 when stopped, 0 when the server can serve requests', async () => {
  expect((await status(machine())).code).toBe(4)
  await install(machine(), options())
  expect((await status(machine())).code).toBe(0)
  isActive = false
  expect((await status(machine())).code).toBe(3)
})
