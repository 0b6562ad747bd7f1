import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type UnitValues, unitText } from './unit.ts'

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasAnalyze)
  console.warn('Tests of systemd units are skipped: systemd-analyze was not found (Debian: apt-get install systemd).')

const usual: UnitValues = {
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/homeport-server/bin/homeport.mjs',
  user: 'homeport',
  data: '/var/lib/homeport',
  environmentFile: '/etc/homeport/homeport.env',
  lowPorts: false,
}

/** Returns the values of a setting of the unit. */
const valuesOf = (unit: string, name: string) =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

test('the unit for the usual paths is the one in deploy/systemd', () => {
  expect(readFileSync('deploy/systemd/homeport.service', 'utf8')).toBe(unitText(usual))
})

test('grants the right to bind low ports only if they are used', () => {
  const of = (lowPorts: boolean) =>
    ['AmbientCapabilities', 'CapabilityBoundingSet'].map((name) => valuesOf(unitText({ ...usual, lowPorts }), name))
  expect(of(false)).toEqual([[''], ['']])
  expect(of(true)).toEqual([['CAP_NET_BIND_SERVICE'], ['CAP_NET_BIND_SERVICE']])
})

test('lets systemd create the usual data directory, and makes another one writable', () => {
  expect(valuesOf(unitText(usual), 'StateDirectory')).toEqual(['homeport'])
  const elsewhere = unitText({ ...usual, data: '/srv/my data/100%' })
  expect(valuesOf(elsewhere, 'StateDirectory')).toEqual([])
  expect(valuesOf(elsewhere, 'ReadWritePaths')).toEqual(['"/srv/my data/100%%"'])
  expect(valuesOf(elsewhere, 'WorkingDirectory')).toEqual(['/srv/my data/100%%'])
})

test('does not hide home directories that contain the program or the data', () => {
  expect(valuesOf(unitText(usual), 'ProtectHome')).toEqual(['yes'])
  expect(valuesOf(unitText({ ...usual, program: '/home/ann/homeport/main.js' }), 'ProtectHome')).toEqual(['read-only'])
})

test('rejects a path with a line break, which would add settings', () => {
  expect(() => unitText({ ...usual, data: '/srv/x\nUser=root' })).toThrow('it has a line break')
})

test('leaves /proc unchanged, because the lock of the data directory reads it', () => {
  expect(unitText(usual)).not.toMatch(/^(ProtectProc|ProcSubset|ProtectKernelTunables|ProtectControlGroups)=/m)
})

test.skipIf(!hasAnalyze)('systemd accepts the unit without a warning', () => {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const program = join(directory, 'folder with $ and "quotes" 应用', 'main.js')
  for (const values of [
    { ...usual, node: process.execPath },
    { ...usual, node: process.execPath, program, data: '/srv/数据 1', lowPorts: true },
  ]) {
    const file = join(directory, 'homeport.service')
    writeFileSync(file, unitText(values))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    expect({ status, output: `${stdout}${stderr}`.split('\n').filter((line) => line.includes('homeport')) }).toEqual({
      status: 0,
      output: [],
    })
  }
})

test.skipIf(!hasAnalyze)('exposes little of the machine by the measure of systemd', () => {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'homeport.service')
  writeFileSync(file, unitText(usual))
  // The threshold is ten times the exposure: at most 2.5 of 10.
  execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', file], { stdio: 'pipe' })
})
