// Runs a test suite and prints its most expensive test files. Usage: npm run test:costs [-- --full] [--top 40]
//   [--record FILE] [arguments of vitest run …]; with --read FILE it only prints a record of an earlier run.
// CPU time is exact for the worker of a file and the processes started by the file. CPU time of the shared server and its
// PostgreSQL is split evenly among the files that run at that time. Linux only: it reads /proc.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { argv, env, execPath, exit, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const given = argv.slice(2)
const full = takeFlag('--full')
const top = Number(takeValue('--top') ?? 40)
const recordOf = takeValue('--read')

if (recordOf !== null) print(recordOf)
else {
  if (platform !== 'linux') fail('The processor time of processes is read from /proc, which only Linux has.')
  const directory = mkdtempSync(join(tmpdir(), 'homeport-costs-'))
  try {
    const record = takeValue('--record') ?? join(directory, 'record')
    const code = await runTests(record)
    print(record)
    process.exitCode = code
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @returns {Promise<number>} the exit code of the test run */
function runTests(record) {
  const script = full ? ['scripts/test-full.mjs'] : ['node_modules/vitest/vitest.mjs', 'run']
  const child = spawn(execPath, [...script, ...given], {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, HOMEPORT_TEST_COSTS: record },
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function print(record) {
  const files = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const shared = shareServerTime(files)
  const rows = files
    .map((costs) => ({
      file: relative(root, costs.file),
      wall: costs.end - costs.start,
      own: costs.own,
      shared: shared.get(costs) ?? 0,
      counts: costs.counts,
    }))
    .sort((one, other) => other.own + other.shared - one.own - one.shared)
  const seconds = (ms) => (ms / 1000).toFixed(1).padStart(7)
  const count = (counts, name) => String(counts[name] ?? 0).padStart(8)
  console.log('\n   wall    own shared  servers     apps  databases  file (seconds; most processor time first)')
  const line = ({ wall, own, shared, counts, file }) =>
    `${seconds(wall)}${seconds(own)}${seconds(shared)} ${count(counts, 'servers')} ${count(counts, 'apps')}   ${count(counts, 'databases')}  ${file}`
  for (const row of rows.slice(0, top)) console.log(line(row))
  const sum = (value) => rows.reduce((total, row) => total + value(row), 0)
  const total = (name) => sum(({ counts }) => counts[name] ?? 0)
  const counts = { servers: total('servers'), apps: total('apps'), databases: total('databases') }
  const wall = Math.max(...files.map(({ end }) => end)) - Math.min(...files.map(({ start }) => start))
  const all = { wall, own: sum((row) => row.own), shared: sum((row) => row.shared), counts }
  console.log(line({ ...all, file: `all ${rows.length} files` }))
}

/** Splits the time of the shared server between two ends or starts evenly among the files that run between them. */
function shareServerTime(files) {
  const shares = new Map()
  const running = new Set()
  let previous = 0
  const events = files
    .flatMap((file) => [
      { time: file.start, at: file.sharedAtStart, file, starts: true },
      { time: file.end, at: file.sharedAtEnd, file, starts: false },
    ])
    .filter(({ at }) => at > 0)
    .sort((one, other) => one.time - other.time)
  for (const { at, file, starts } of events) {
    const used = Math.max(0, at - previous)
    for (const one of running) shares.set(one, (shares.get(one) ?? 0) + used / running.size)
    previous = Math.max(previous, at)
    if (starts) running.add(file)
    else running.delete(file)
  }
  return shares
}

function takeFlag(name) {
  const index = given.indexOf(name)
  if (index >= 0) given.splice(index, 1)
  return index >= 0
}

function takeValue(name) {
  const index = given.indexOf(name)
  return index >= 0 ? given.splice(index, 2)[1] : null
}

function fail(message) {
  console.error(message)
  exit(2)
}
