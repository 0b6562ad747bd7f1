import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { HIT_INTERVAL_MS } from './runtime.mjs'

/** The delay between the start of a file in its worker and its event. */
const EVENT_DELAY_MS = 50

/**
 * Assigns the recorded hits to test files. A hit of a test worker names its file. A hit of a server belongs to the file that ran
 * at that time, as files run sequentially. A server that starts before the first file is shared: its hits until then are covered
 * by all files that use a server.
 * @param {string} folder with the records of `runtime.mjs`
 * @param {readonly object[]} files events of `reporter.mjs`
 * @returns {Map<string, Set<string>>} paths of test files by id of the mutant
 */
export function readCoverage(folder, files) {
  const withServer = files.filter(({ project }) => project !== 'unit').sort((one, other) => one.start - other.start)
  const first = withServer[0]?.start ?? Number.POSITIVE_INFINITY
  const coverage = new Map()
  for (const name of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      if (line === '') continue
      const [id, time, ownFile] = line.split('\t')
      if (!coverage.has(id)) coverage.set(id, new Set())
      const covering = coverage.get(id)
      if (ownFile) covering.add(ownFile)
      else for (const { file } of running(withServer, Number(time), first)) covering.add(file)
    }
  }
  return coverage
}

/** Returns the files that ran at the time of a hit. One record covers all hits of the interval that follows it. */
function running(files, time, first) {
  if (time + HIT_INTERVAL_MS + EVENT_DELAY_MS < first) return files
  return files.filter(
    ({ start, end }) => time + HIT_INTERVAL_MS + EVENT_DELAY_MS >= start && time <= end + EVENT_DELAY_MS,
  )
}

/**
 * Orders test files by how likely and how fast they kill a mutant: the test of the file, its folder, its domain, its domain in
 * end-to-end tests, the others, browsers; the fast ones first among equals.
 * @param {string} root of the project
 * @param {string} source path of the mutated file from the root
 * @param {readonly { file: string, project: string, start: number, end: number }[]} files
 */
export function nearestFirst(root, source, files) {
  const domain = source.split('/').slice(0, 2).join('/')
  const subject = basename(source, '.ts')
  const distance = ({ file, project }) => {
    const path = relative(root, file).replaceAll('\\', '/')
    if (project === 'browser') return 6
    if (basename(path, '.test.ts') === subject) return path.startsWith(domain) ? 0 : 1
    if (dirname(path) === dirname(source)) return 2
    if (path.startsWith(`${domain}/`)) return 3
    return path.includes(basename(domain).replace(/s$/, '')) ? 4 : 5
  }
  const keyed = files.map((file) => ({ file, distance: distance(file), ms: file.end - file.start }))
  return keyed.sort((one, other) => one.distance - other.distance || one.ms - other.ms).map(({ file }) => file)
}
