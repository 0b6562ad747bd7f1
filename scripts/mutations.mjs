// `npm run test:mutations`: changes the source in many small ways, one at a time, runs the tests that reach the change, and lists
// the changes that no test detects. All changes are in one build; HOMEPORT_TEST_MUTANT selects one at run time.
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundleServer, copyRuntimeFiles } from './bundle-server.mjs'
import { ensureBuilt } from './ensure-built.mjs'
import { nearestFirst, readCoverage } from './mutations/coverage.mjs'
import { instrument } from './mutations/instrument.mjs'
import { findMutants } from './mutations/mutants.mjs'
import { mutationPlugin } from './mutations/plugin.mjs'
import { describe, Report, summary } from './mutations/report.mjs'
import { listTests, runTests } from './mutations/run-tests.mjs'
import { sample } from './mutations/sample.mjs'

const USAGE = `npm run test:mutations -- [options]
  --count N          mutants in the sample (200)
  --seed N           seed of the sample (1)
  --paths A,B        folders or files to mutate (src/objects,src/accounts,src/messaging)
  --only ID,ID       these mutants instead of a sample
  --tests GLOB,GLOB  only test files whose path contains a match
  --report FILE      JSON lines (node_modules/.cache/homeport-mutations/report.jsonl)
  --resume           continue the report
  --limit-minutes N  stop after this time, but not before the end of the first pass
  --list             print the mutants and end`
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cache = join(root, 'node_modules/.cache/homeport-mutations')
const runtime = join(root, 'scripts/mutations/runtime.mjs')
/** Sizes of the batches of test files, nearest files first; the last batch is the rest. */
const BATCHES = [3, 12]
/** The start and stop time of Vitest, without and with databases and servers. */
const START_MS = { unit: 20_000, server: 60_000 }
const MIN_TEST_TIMEOUT_MS = 15_000
/** Timeout of the first pass. */
const FIRST_PASS_MS = 3 * 60 * 60_000

const options = readOptions()
const end = Date.now() + options.limitMinutes * 60_000
const sources = new Map(
  options.paths.flatMap(sourceFiles).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
const candidates = [...sources].flatMap(([file, source]) => findMutants(file, source))
const mutants = chooseMutants()
if (options.list) {
  for (const mutant of mutants) console.log(describe(mutant))
  process.exit()
}
const report = openReport()
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'run-'))
process.once('exit', () => rmSync(work, { recursive: true, force: true }))
const env = await buildMutants()
const coverage = report.coverage ?? (await firstPass())
await tryMutants()
console.log(summary(report.results, mutants.length))

function readOptions() {
  const text = (value) => ({ type: 'string', ...(value !== undefined && { default: value }) })
  try {
    const { values } = parseArgs({
      options: {
        count: text('200'),
        seed: text('1'),
        paths: text('src/objects,src/accounts,src/messaging'),
        only: text(),
        tests: text(),
        report: text(join(cache, 'report.jsonl')),
        resume: { type: 'boolean', default: false },
        'limit-minutes': text('Infinity'),
        list: { type: 'boolean', default: false },
      },
    })
    const [count, seed, limitMinutes] = [values.count, values.seed, values['limit-minutes']].map(Number)
    if (!Number.isSafeInteger(count) || count < 1) throw new Error('--count must be a whole number above 0')
    if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number')
    if (!(limitMinutes > 0)) throw new Error('--limit-minutes must be above 0')
    const list = (value) => value?.split(',').filter(Boolean)
    const { resume } = values
    return {
      count,
      seed,
      limitMinutes,
      resume,
      paths: list(values.paths),
      only: list(values.only),
      tests: list(values.tests)?.map(patternOf),
      report: resolve(values.report),
      list: values.list,
    }
  } catch (error) {
    fail(`${error.message}\n${USAGE}`)
  }
}

/** Returns the pattern of a glob: `*` matches within a folder, `**` across folders. */
function patternOf(glob) {
  const escaped = glob.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(escaped.replaceAll(/\*\*\/?|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*')))
}

function fail(text) {
  console.error(text)
  process.exit(2)
}

/** Returns the TypeScript files of a folder, or a single file, without tests; paths from the root. */
function sourceFiles(path) {
  if (path.endsWith('.ts')) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name).replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .sort()
}

function chooseMutants() {
  if (!options.only) return sample(candidates, options.count, options.seed)
  const known = new Map(candidates.map((mutant) => [mutant.id, mutant]))
  const unknown = options.only.filter((id) => !known.has(id))
  if (unknown.length > 0)
    fail(`Mutant ${unknown.join(', ')} not found. The ids of a file change when the file changes.`)
  return [...new Set(options.only)].map((id) => known.get(id))
}

/** Opens a report. It can be continued if it has the same mutants of the same sources. */
function openReport() {
  const content = [...new Set(mutants.map(({ file }) => file))].map((file) => [file, sources.get(file)])
  const hash = createHash('sha256')
    .update(JSON.stringify([content, mutants.map(({ id }) => id), options.tests?.map(String)]))
    .digest('hex')
  const opened = options.resume ? Report.open(options.report) : Report.create(options.report)
  if (opened.plan && opened.plan.hash !== hash)
    fail(`${options.report} is about other mutants, tests or sources. Run without --resume to replace it.`)
  if (!opened.plan) opened.add({ type: 'plan', hash, seed: options.seed, candidates: candidates.length })
  console.log(`${mutants.length} of ${candidates.length} mutants, report in ${relative(process.cwd(), options.report)}`)
  return opened
}

/**
 * Builds a server that contains all mutants, with the same files as `npm run build`.
 * @returns environment variables that make tests use the server and the mutated modules
 */
async function buildMutants() {
  ensureBuilt()
  const byFile = groupByFile()
  const modules = [...byFile].map(([file, own]) => [
    join(root, file).replaceAll('\\', '/'),
    instrument(sources.get(file), own, runtime),
  ])
  const modulesFile = join(work, 'modules.json')
  writeFileSync(modulesFile, JSON.stringify(Object.fromEntries(modules)))
  const built = join(work, 'dist')
  await bundleServer(root, built, [mutationPlugin(modulesFile)])
  copyRuntimeFiles(root, built)
  cpSync(join(root, 'dist/console'), join(built, 'console'), { recursive: true })
  // Inside node_modules the `"type": "module"` of the project does not apply.
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }\n')
  return { HOMEPORT_TEST_PROGRAM: join(built, 'cli/main.js'), HOMEPORT_TEST_MUTATED_MODULES: modulesFile }
}

function groupByFile() {
  const groups = new Map()
  for (const mutant of mutants) groups.set(mutant.file, [...(groups.get(mutant.file) ?? []), mutant])
  return groups
}

/** Runs the suite without an active mutant, file by file, and records which test files reach which mutants. */
async function firstPass() {
  const tests = (await listTests(root)).filter(
    ({ file }) =>
      !options.tests || options.tests.some((pattern) => pattern.test(relative(root, file).replaceAll('\\', '/'))),
  )
  if (tests.length === 0) fail('No test file matches --tests.')
  const files = [...new Set(tests.map(({ file }) => file))]
  console.log(`First pass: ${files.length} test files, one after another`)
  // Isolated files import their modules again, so that each one covers the code that runs on import.
  const args = ['--no-file-parallelism', '--isolate']
  const record = (hits) => {
    mkdirSync(hits)
    return runTests({ root, files, args, env: { ...env, HOMEPORT_TEST_MUTATION_HITS: hits }, limitMs: FIRST_PASS_MS })
  }
  let hits = join(work, 'hits')
  let run = await record(hits)
  if (isOutsideOfTests(run)) {
    console.log(`First pass: repeated, failed outside of tests: ${run.errors.join('; ')} ${run.output.slice(-500)}`)
    hits = join(work, 'hits-again')
    run = await record(hits)
  }
  const broken = run.files.filter(({ passed }) => !passed)
  if (run.files.length === 0 || (!run.passed && broken.length === 0))
    fail(`The suite fails without a mutant:\n${run.errors.join('\n')}\n${run.output}`)
  for (const { file, failures } of broken)
    console.log(`Excluded, fails without a mutant: ${relative(root, file)}: ${failures.join('; ')}`)
  const passed = run.files.filter((file) => file.passed)
  const covering = readCoverage(hits, passed)
  const mutantsOf = Object.fromEntries([...covering].map(([id, paths]) => [id, [...paths]]))
  const line = { type: 'coverage', files: passed, mutants: mutantsOf, excluded: broken.map(({ file }) => file) }
  report.add(line)
  console.log(`First pass: ${Math.round(run.ms / 1000)} s, ${covering.size} of ${mutants.length} mutants covered`)
  return line
}

async function tryMutants() {
  const done = new Set(report.results.map(({ mutant }) => mutant.id))
  for (const mutant of mutants) {
    if (done.has(mutant.id)) continue
    if (Date.now() > end) break
    const result = await tryMutant(mutant)
    if (!result) break
    report.add({ type: 'result', ...result, mutant })
    const by = result.by ? ` by ${result.by}` : ''
    const seconds = Math.round((result.ms ?? 0) / 1000)
    console.log(`${report.results.length}/${mutants.length} ${result.status} (${seconds} s) ${describe(mutant)}${by}`)
  }
}

/** Runs the tests that cover a mutant, nearest first, until one fails. Returns null when the total time is over. */
async function tryMutant(mutant) {
  const paths = new Set(coverage.mutants[mutant.id] ?? [])
  const covering = coverage.files.filter(({ file }) => paths.has(file))
  if (covering.length === 0) return { status: 'not covered' }
  const ordered = nearestFirst(root, mutant.file, covering)
  let ms = 0
  for (const batch of batches(ordered)) {
    if (Date.now() > end) return null
    let run = await runBatch(mutant, batch)
    ms += run.ms
    // A failure outside of tests can be caused by the machine: a real one is reproducible.
    if (isOutsideOfTests(run)) {
      run = await runBatch(mutant, batch)
      ms += run.ms
    }
    if (run.passed) continue
    const failed = run.files.find(({ passed }) => !passed)
    const by = failed && `${relative(root, failed.file)} › ${failed.failures[0]}`
    const output = by ? undefined : [...run.errors, run.output].join('\n').slice(-1_000)
    return { status: run.timedOut ? 'time-out' : 'killed', ms, by, output }
  }
  return { status: 'survived', ms, files: covering.length }
}

function isOutsideOfTests({ passed, timedOut, files }) {
  return !passed && !timedOut && files.every((file) => file.passed)
}

function batches(files) {
  const parts = []
  let from = 0
  for (const size of [...BATCHES, files.length]) {
    if (from < files.length) parts.push(files.slice(from, from + size))
    from += size
  }
  return parts
}

function runBatch(mutant, batch) {
  const slowest = Math.max(...batch.map(({ slowestMs }) => slowestMs))
  const total = batch.reduce((sum, { start, end }) => sum + end - start, 0)
  return runTests({
    root,
    files: batch.map(({ file }) => file),
    args: ['--bail=1', '--retry=0', `--testTimeout=${Math.max(MIN_TEST_TIMEOUT_MS, 3 * slowest)}`],
    env: { ...env, HOMEPORT_TEST_MUTANT: mutant.id },
    limitMs: (batch.every(({ project }) => project === 'unit') ? START_MS.unit : START_MS.server) + 2 * total,
  })
}
