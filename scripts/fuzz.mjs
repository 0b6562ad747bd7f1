// `npm run fuzz -- --minutes 30`: runs the fuzz and property tests with fresh seeds until the time is over or a test fails.
// `--seed 7` repeats only the round with that seed.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
/** The test files that use the seed of test/support/runs.ts. */
const USES_SEED = /from '[./]*(?:test\/)?support\/runs\.ts'/

const { minutes, seed, times } = readOptions()
const files = ['src', 'test'].flatMap(testFiles)
const end = Date.now() + minutes * 60_000
process.exitCode = await fuzz()

function readOptions() {
  const usage = 'npm run fuzz -- [--minutes 10] [--seed 1] [--times 1]'
  try {
    const options = { minutes: { type: 'string' }, seed: { type: 'string' }, times: { type: 'string' } }
    const { values } = parseArgs({ options })
    const number = (name, otherwise) => (values[name] === undefined ? otherwise : Number(values[name]))
    const read = { minutes: number('minutes', 10), seed: number('seed', null), times: number('times', 1) }
    if (!(read.minutes > 0) || !(read.times >= 1) || (read.seed !== null && !Number.isSafeInteger(read.seed)))
      throw new Error('minutes and times are numbers above 0, seed is a whole number')
    return read
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
}

/** Returns the test files below a folder, as paths from the root. */
function testFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => USES_SEED.test(readFileSync(path, 'utf8')))
}

/** @returns the exit code: 1 when a test failed */
async function fuzz() {
  console.log(`${files.length} files of tests, ${seed === null ? `for ${minutes} minutes` : 'once'}`)
  let rounds = 0
  do {
    const current = seed ?? randomInt(2 ** 31)
    const began = Date.now()
    const { code, output } = await round(current)
    rounds++
    const seconds = Math.round((Date.now() - began) / 1000)
    console.log(`round ${rounds}, seed ${current}: ${code === 0 ? 'nothing found' : 'FOUND'}, ${seconds} s`)
    if (code === 0) continue
    console.error(
      `${output.split('\n').map(shortened).join('\n')}\nAgain: npm run fuzz -- --seed ${current}${times === 1 ? '' : ` --times ${times}`}`,
    )
    return 1
  } while (seed === null && Date.now() < end)
  return 0
}

/** Shortens a line: an input can contain hundreds of kilobytes of one character. */
function shortened(line) {
  return line.length > 20_000 ? `${line.slice(0, 10_000)} … ${line.slice(-10_000)}` : line
}

/**
 * Runs all tests with a seed.
 * @returns the output of Vitest
 */
function round(seed) {
  const env = { ...process.env, HOMEPORT_TEST_FUZZ_SEED: String(seed), HOMEPORT_TEST_FUZZ_TIMES: String(times) }
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [vitest, 'run', '--reporter=dot', ...files], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [run.stdout, run.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        // The failures are at the end.
        output = (output + text).slice(-10_000_000)
      })
    }
    run.once('error', reject)
    run.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
