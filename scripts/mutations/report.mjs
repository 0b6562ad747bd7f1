import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const STATUSES = ['killed', 'time-out', 'survived', 'not covered']

/**
 * A report file of JSON lines: `plan`, `coverage` with the test files of the first pass, and a `result` for each mutant. An
 * interrupted run leaves a partial report.
 */
export class Report {
  #path
  #lines

  constructor(path, lines) {
    this.#path = path
    this.#lines = lines
  }

  /** Creates a report, replacing the file. */
  static create(path) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    return new Report(path, [])
  }

  /** Opens a report; empty when the file is missing. */
  static open(path) {
    if (!existsSync(path)) return Report.create(path)
    const lines = readFileSync(path, 'utf8').split('\n')
    // An interrupted write leaves an incomplete last line.
    const complete = lines.slice(0, -1).map(JSON.parse)
    writeFileSync(path, complete.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return new Report(path, complete)
  }

  get plan() {
    return this.#last('plan')
  }

  get coverage() {
    return this.#last('coverage')
  }

  get results() {
    return this.#lines.filter(({ type }) => type === 'result')
  }

  add(line) {
    this.#lines.push(line)
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }

  #last(wanted) {
    return this.#lines.findLast(({ type }) => type === wanted)
  }
}

/** Returns the table of results per folder, and the undetected mutants. */
export function summary(results, planned) {
  const folders = new Map()
  for (const { mutant, status } of results) {
    const folder = mutant.file.split('/').slice(0, 3)
    const name = folder.length > 2 && !folder[2].includes('.') ? folder.join('/') : folder.slice(0, 2).join('/')
    const counts = folders.get(name) ?? {}
    folders.set(name, { ...counts, [status]: (counts[status] ?? 0) + 1 })
  }
  const total = {}
  for (const { status } of results) total[status] = (total[status] ?? 0) + 1
  const rows = [...folders].sort(([one], [other]) => (one < other ? -1 : 1))
  const table = [['folder', ...STATUSES], ...[...rows, ['total', total]].map(([name, counts]) => row(name, counts))]
  const missed = results.filter(({ status }) => status === 'survived' || status === 'not covered')
  const noticed = results.length - missed.length
  const share = results.length === 0 ? '' : ` (${Math.round((100 * noticed) / results.length)} %)`
  return [
    '',
    ...table.map(aligned),
    '',
    `${noticed} of ${results.length} mutants killed${share}, ${planned - results.length} not run`,
    ...missed.map(
      ({ mutant, status, files }) =>
        `${status}: ${describe(mutant)}${status === 'survived' ? `  [${files} test files]` : ''}`,
    ),
  ].join('\n')
}

/** @param {import('./mutants.mjs').Mutant} mutant */
export function describe({ id, file, line, operator, original, mutant }) {
  return `${id} ${file}:${line} [${operator}] ${original}  →  ${mutant}`
}

const row = (name, counts) => [name, ...STATUSES.map((status) => String(counts[status] ?? 0))]

const aligned = ([name, ...cells]) => name.padEnd(32) + cells.map((cell) => cell.padStart(13)).join('')
