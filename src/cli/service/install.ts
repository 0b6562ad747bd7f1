import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError, readConfig, secretOnCommandLine } from '../../config.ts'
import { holdsSecret, OPTIONS, type OptionName, variableOf } from '../../config-options.ts'
import { parseEnvironment, type Variables, withVariables } from './environment-file.ts'
import type { Machine } from './machine.ts'
import { ENVIRONMENT_FILE, NAME, UNIT_FILE } from './paths.ts'
import { DEFAULT_DATA, unitText } from './unit.ts'

const NO_SHELL = '/usr/sbin/nologin'
const START_TIMEOUT_MS = 120_000
const MAX_LOW_PORT = 1023

/** The program that the service runs. Both are absolute paths. */
interface Program {
  readonly node: string
  readonly main: string
}

export interface InstallOptions {
  /** Options of the server that the administrator names. */
  readonly variables: Variables
  readonly program: Program
  /** Whether to start the service now; otherwise it starts with the machine. */
  readonly start: boolean
}

/**
 * Returns the options of the server that are given as flags or variables, as variables. Flags take precedence.
 * @throws ConfigError when a flag holds a secret
 */
export function givenVariables(flags: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv): Variables {
  const names = Object.keys(OPTIONS) as OptionName[]
  const faults = names.filter((name) => holdsSecret(name, flags[name])).map(secretOnCommandLine)
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = flags[name] ?? environment[variableOf(name)]
      return value === undefined || value === '' ? [] : [[variableOf(name), String(value)]]
    }),
  )
}

/** Returns the unit for these options and those of the environment file. */
export function unitFor({ variables, program }: InstallOptions, root: string): string {
  return describe({ ...readVariables(root), ...variables }, program).unit
}

/**
 * Writes the unit and the environment file, creates the user, and starts the service, or restarts it when something changed. A
 * repeated call with the same options changes nothing.
 * @returns the lines for the administrator
 * @throws ConfigError for a wrong option; Error with one line otherwise
 */
export async function install(machine: Machine, options: InstallOptions): Promise<readonly string[]> {
  requireSystemd(machine, options.start)
  const { root } = machine
  const environment = withVariables(readText(join(root, ENVIRONMENT_FILE)), options.variables)
  const { unit, data } = describe(parseEnvironment(environment), options.program)
  const user = createUser(machine)
  requireAccess(machine, options.program, user)
  makeDataDirectory(machine, data, user)
  const changed = [
    write(join(root, ENVIRONMENT_FILE), environment, 0o600),
    write(join(root, UNIT_FILE), unit, 0o644),
  ].includes(true)
  if (machine.hasSystemd) must(machine, 'systemctl', ['daemon-reload'])
  must(machine, 'systemctl', ['enable', '--quiet', `${NAME}.service`])
  const shown = [
    `${changed ? 'Installed' : 'Unchanged'}: ${UNIT_FILE}`,
    `Options:   ${ENVIRONMENT_FILE}`,
    `Data:      ${data}`,
    `Log:       journalctl -u ${NAME}`,
  ]
  if (!options.start) return [...shown, `The service starts with the machine, or now with: systemctl start ${NAME}`]
  const isActive = () => machine.run('systemctl', ['is-active', '--quiet', `${NAME}.service`]).code === 0
  if (changed || !isActive()) must(machine, 'systemctl', ['restart', `${NAME}.service`])
  const url = await machine.healthyServer(data, START_TIMEOUT_MS, () => !isActive())
  if (url === null) throw new Error(`The service did not start. Its log says why: journalctl -u ${NAME} -n 50`)
  return [
    ...shown,
    `Homeport runs at ${url}`,
    `Log in to the console with the link of: ${NAME} console-link --data ${data}`,
  ]
}

/** @throws Error that says what is missing and what to do instead */
export function requireSystemd({ platform, isRoot, hasSystemd }: Machine, mustRun: boolean): void {
  if (platform !== 'linux')
    throw new Error('A service needs Linux with systemd. docs/deployment.md describes macOS and Windows.')
  if (!isRoot)
    throw new Error('Only root can install a service: run this command with sudo, or with --print to see the unit.')
  if (mustRun && !hasSystemd)
    throw new Error(
      'systemd does not run on this machine. Run "homeport start" under its service manager; --print shows the unit, and --no-start installs it for the next start.',
    )
}

function describe(variables: Variables, program: Program): { unit: string; data: string } {
  const all = { HOMEPORT_DATA: DEFAULT_DATA, ...variables }
  const workingDirectory = all.HOMEPORT_DATA
  if (!workingDirectory.startsWith('/'))
    throw new Error(`The data directory of a service must be an absolute path, not ${workingDirectory}.`)
  const config = readConfig({}, all, join(workingDirectory, 'homeport.config.json'))
  const isLow = (port: number) => port > 0 && port <= MAX_LOW_PORT
  // With a domain, the server listens on 443 and 80 by default.
  const lowPorts =
    isLow(config.port) || isLow(Number(variables.HOMEPORT_HTTP_PORT)) || Boolean(variables.HOMEPORT_DOMAIN)
  return {
    unit: unitText({
      node: program.node,
      program: program.main,
      user: NAME,
      data: config.data,
      environmentFile: ENVIRONMENT_FILE,
      lowPorts,
    }),
    data: config.data,
  }
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** Creates the user of the service, unless it exists. */
function createUser(machine: Machine): User {
  const id = (kind: string) => machine.run('id', [kind, NAME])
  if (id('-u').code !== 0) {
    const home = ['--home-dir', DEFAULT_DATA, '--no-create-home', '--shell', NO_SHELL]
    must(machine, 'useradd', ['--system', '--user-group', ...home, NAME])
  }
  return { uid: Number(id('-u').output), gid: Number(id('-g').output) }
}

/** Node and Homeport may be installed for one user only, for example by a version manager in /root. */
function requireAccess(machine: Machine, { node, main }: Program, user: User): void {
  if (machine.run('test', ['-x', node, '-a', '-r', main], user).code === 0) return
  throw new Error(
    `The user ${NAME}, which runs the service, cannot reach ${node} and ${main}. ` +
      'Install Node.js for all users (for example below /usr), then Homeport with "npm install -g homeport-server".',
  )
}

function makeDataDirectory({ root }: Machine, data: string, { uid, gid }: User): void {
  const path = join(root, data)
  if (existsSync(path)) {
    const owner = statSync(path).uid
    // systemd changes the owner of the usual directory.
    if (owner === uid || data === DEFAULT_DATA) return
    throw new Error(`${data} belongs to user number ${owner}. Run: chown -R ${NAME}:${NAME} ${data}`)
  }
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}

export function readVariables(root: string): Variables {
  return parseEnvironment(readText(join(root, ENVIRONMENT_FILE)))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // Without root's rights, `--print` shows the unit for the given options alone.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

/**
 * Replaces a file atomically.
 * @returns whether it changed
 */
function write(path: string, text: string, mode: number): boolean {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) {
    chmodSync(path, mode)
    return false
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode })
  chmodSync(draft, mode)
  renameSync(draft, path)
  return true
}

/** Runs a program. @throws Error with its output when it fails */
export function must({ run }: Machine, program: string, args: readonly string[]): void {
  const { code, output } = run(program, args)
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} failed: ${output || `exit code ${code}`}`)
}
