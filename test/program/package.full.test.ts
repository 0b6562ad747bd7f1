import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const directory = mkdtempSync(join(tmpdir(), 'homeport-package-'))
/** The unpacked package, in a folder with spaces and Chinese characters. */
const home = join(directory, '我的 服务器')
const installed = join(home, 'package')

function run(file: string, args: readonly string[], cwd = directory, environment = {}) {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 300_000,
  })
  return { status, stdout, stderr }
}

const node = (args: readonly string[]) => run(process.execPath, args)

beforeAll(() => {
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], root)
  expect(packed.status, packed.stderr).toBe(0)
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  mkdirSync(home)
  expect(run('tar', ['-xzf', join(directory, filename), '-C', home]).status).toBe(0)
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
}, 300_000)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the package', () => {
  test('has a name of its own, builds before it is packed, and installs the command homeport', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: 'homeport-server',
      bin: { homeport: 'bin/homeport.mjs' },
      scripts: { prepack: 'node scripts/prepack.mjs' },
    })
  })

  test('runs from a folder with spaces and Chinese characters, and prints its version', () => {
    expect(node([join(installed, 'bin/homeport.mjs'), '--version'])).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  test.each(['18.20.8', '20.18.3', '16.0.0'])('Node.js %s gets one clear line', (old) => {
    const disguise = join(directory, 'disguise.cjs')
    writeFileSync(disguise, `Object.defineProperty(process.versions, 'node', { value: process.env.DISGUISE })`)
    const program = join(installed, 'bin/homeport.mjs')
    expect(run(process.execPath, ['--require', disguise, program, 'start'], directory, { DISGUISE: old })).toEqual({
      status: 1,
      stdout: '',
      stderr: `Homeport needs Node.js 20.19 or later; this is ${old}.\n`,
    })
  })

  test('a package that was packed without a build says so', () => {
    rmSync(join(installed, 'dist'), { recursive: true })
    const { status, stderr } = node([join(installed, 'bin/homeport.mjs'), 'start'])
    expect(status).toBe(1)
    expect(stderr).toBe('homeport: the program is not built. Run `npm ci && npm run build` in the checkout.\n')
  })
})

test('npm start in a checkout without dependencies says what to run', () => {
  const checkout = join(directory, 'checkout')
  mkdirSync(checkout)
  for (const part of ['bin', 'scripts', 'package.json']) symlinkSync(join(root, part), join(checkout, part))
  const args = ['--preserve-symlinks', '--preserve-symlinks-main', join(checkout, 'scripts/start.mjs')]
  expect(node(args)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The dependencies are not installed. Run `npm ci` first.\n',
  })
})
