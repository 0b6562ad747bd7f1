import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../install.sh', import.meta.url))
const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0
if (!hasShellcheck)
  console.warn('install.sh is not linted: shellcheck was not found (Debian: apt-get install shellcheck).')

/** Programs of the system that the script may use. Everything else is a stand-in, so that the test changes nothing. */
const REAL = [
  'sh',
  'env',
  'sed',
  'awk',
  'grep',
  'cat',
  'tail',
  'sort',
  'readlink',
  'mktemp',
  'rm',
  'mkdir',
  'ln',
  'tar',
  'xz',
  'sha256sum',
  'cp',
  'chmod',
  'dirname',
  'basename',
]

let directory: string
let bin: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  bin = join(directory, 'bin')
  mkdirSync(bin)
  for (const name of REAL) {
    const real = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
    if (real.startsWith('/')) execFileSync('ln', ['-s', real, join(bin, name)])
  }
  standIn('id', 'echo 0')
  standIn('uname', 'case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac')
  standIn('ldd', 'echo "ldd (Debian GLIBC 2.36)"')
  standIn(
    'npm',
    `echo "npm $*" >> ${directory}/calls; printf '#!/bin/sh\\necho "homeport $*" >> ${directory}/calls\\n' > ${bin}/homeport; chmod +x ${bin}/homeport`,
  )
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Creates a program that runs a script of the shell. */
function standIn(name: string, script: string): void {
  const file = join(bin, name)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}

/** Logs the call of a program. */
const logged = (name: string) => standIn(name, `echo "${name} $*" >> ${directory}/calls`)

/** Runs the installer in a session of its own, without a terminal to ask on. */
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('/usr/bin/setsid', ['--wait', '/bin/sh', SCRIPT, ...args], {
    encoding: 'utf8',
    env: { PATH: bin, HOME: directory, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const calls = existsSync(join(directory, 'calls'))
    ? readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n')
    : []
  return { status, stdout, stderr, calls }
}

test.skipIf(!hasShellcheck)('shellcheck finds nothing', () => {
  expect(spawnSync('shellcheck', ['--shell=sh', SCRIPT], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '' })
})

describe.skipIf(process.platform !== 'linux')('install.sh', () => {
  test('keeps a Node.js that is new enough, and installs package and service', () => {
    standIn('node', 'echo v22.5.0')
    const { status, stderr, calls } = run(
      '--yes',
      '--no-start',
      '--domain',
      'api.example.org',
      '--',
      '--log-level',
      'warn',
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(calls).toEqual([
      'npm install --global --no-audit --no-fund homeport-server',
      'homeport service install --no-start --domain api.example.org --public-url https://api.example.org --log-level warn',
    ])
  })

  test.each([
    ['v20.18.9', false],
    ['v20.19.0', true],
    ['v18.20.4', false],
    ['v24.0.0', true],
  ])('with Node.js %s, which is new enough: %s', (version, isEnough) => {
    standIn('node', `echo ${version}`)
    const { status, stderr } = run('--yes', '--no-service', '--node-from', 'distribution')
    expect(status).toBe(isEnough ? 0 : 1)
    if (!isEnough) expect(stderr).toContain('no Node.js 20.19 or later')
  })

  test('installs the Node.js of a distribution that has a new one', () => {
    logged('apt-get')
    standIn('apt-cache', "printf 'nodejs:\\n  Installed: (none)\\n  Candidate: 20.19.2+dfsg-1\\n'")
    const { status, calls } = run('--yes', '--no-service')
    expect(status).toBe(0)
    expect(calls).toContain('apt-get install -y -qq --no-install-recommends nodejs npm')
  })

  test('uses the newest stream of AlmaLinux', () => {
    logged('dnf')
    standIn(
      'dnf',
      `echo "dnf $*" >> ${directory}/calls; case "$*" in *"module list"*) printf 'Name Stream\\nnodejs 18 c\\nnodejs 20 c\\nnodejs 22 c\\n' ;; esac`,
    )
    const { status, calls } = run('--yes', '--no-service')
    expect(status).toBe(0)
    expect(calls).toContain('dnf -y -q module install nodejs:22')
  })

  test.each([
    ['the right checksum', true],
    ['a wrong checksum', false],
  ])('downloads Node.js, and checks its archive: %s', (_, isRight) => {
    const mirror = makeMirror(isRight)
    // Responses come from files instead of the network, and nodejs.org cannot be reached.
    standIn(
      'curl',
      `out=; url=; while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift ;; -*) ;; *) url=$1 ;; esac; shift; done
      case $url in file://*) exec cp "\${url#file://}" "$out" ;; *) exit 6 ;; esac`,
    )
    const prefix = join(directory, 'prefix')
    const { status, stdout, stderr } = run(
      '--yes',
      '--no-service',
      '--node-mirror',
      `file://${mirror}`,
      '--prefix',
      prefix,
    )
    if (isRight) {
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain('the checksums come from')
      expect(execFileSync(join(prefix, 'bin/node'), { encoding: 'utf8' })).toBe('v24.1.2\n')
    } else {
      expect(status).toBe(1)
      expect(stderr).toContain('the SHA-256 of node-v24.1.2-linux-x64.tar.xz is wrong; nothing was installed.')
      expect(existsSync(prefix)).toBe(false)
    }
  })

  test('asks before each step, and changes nothing without a terminal', () => {
    standIn('node', 'echo v22.5.0')
    const { status, stderr, calls } = run('--no-service')
    expect({ status, calls }).toEqual({ status: 1, calls: [] })
    expect(stderr).toContain('use --yes')
  })

  test('a dry run prints the steps and changes nothing', () => {
    standIn('node', 'echo v22.5.0')
    standIn('id', 'echo 1000')
    const { status, stdout, calls } = run('--dry-run', '--mirror', 'china')
    expect({ status, calls }).toEqual({ status: 0, calls: [] })
    expect(stdout).toMatch(/npm install --global homeport-server --registry https:\/\/\S+\n/)
    expect(stdout).toContain('homeport service install')
  })

  test.each([
    [['--port', '3000'], 'unknown option --port'],
    [['--domain'], '--domain needs a value'],
    [['--mirror', 'moon'], '--mirror must be china, not moon'],
  ])('rejects %j', (args, message) => {
    const { status, stderr } = run(...args)
    expect(status).toBe(1)
    expect(stderr).toContain(message)
  })

  test('needs root', () => {
    standIn('id', 'echo 1000')
    expect(run('--yes').stderr).toContain('run this script as root')
  })
})

/** Creates a folder like nodejs.org/dist with one archive. */
function makeMirror(isRight: boolean): string {
  const mirror = join(directory, 'mirror')
  const name = 'node-v24.1.2-linux-x64'
  const tree = join(directory, name)
  mkdirSync(join(tree, 'bin'), { recursive: true })
  mkdirSync(join(tree, 'lib/node_modules/npm'), { recursive: true })
  for (const program of ['node', 'npm', 'npx']) {
    writeFileSync(
      join(tree, 'bin', program),
      program === 'node' ? '#!/bin/sh\necho v24.1.2\n' : readFileSync(join(bin, 'npm')),
    )
    chmodSync(join(tree, 'bin', program), 0o755)
  }
  for (const folder of ['latest-v24.x', 'v24.1.2']) mkdirSync(join(mirror, folder), { recursive: true })
  const archive = join(mirror, 'v24.1.2', `${name}.tar.xz`)
  execFileSync('tar', ['-C', directory, '-cJf', archive, name])
  const sum = createHash('sha256')
    .update(isRight ? readFileSync(archive) : 'other bytes')
    .digest('hex')
  writeFileSync(
    join(mirror, 'latest-v24.x/SHASUMS256.txt'),
    `${'0'.repeat(64)}  node-v24.1.2-linux-arm64.tar.xz\n${sum}  ${name}.tar.xz\n`,
  )
  return mirror
}
