// `npm run lint:language`: finds words in comments and test names that CONTRIBUTING.md asks to avoid, because a reader has to
// guess what they refer to. Names of code in backticks are skipped.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const FOLDERS = ['src', 'console/src', 'bench', 'test', 'scripts']
/** Folders, and the file that is generated from texts of endpoints. */
const SKIPPED = /^(?:node_modules|dist|packages|fixtures|answers\.ts)$/

/** Each phrase with what to write in its place. */
const BANNED = [
  [/\bnobody\b/i, 'name the subject: "no client", "no caller"'],
  [/\bsomebody\b/i, 'name the subject: "another client"'],
  [/\bwhoever\b/i, 'name the subject: "the client that"'],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'notified, informed, delivered, published'],
  [/\banew\b/i, 'again, re-'],
  [/\bas it is(?=[.,;:)]|$)/i, 'unchanged'],
  [/\bput right\b/i, 'fixed'],
  [/\bheld up\b/i, 'delayed, blocked'],
  [/\bkept back\b/i, 'delayed'],
  [/\bgoes without saying\b|\bneedless to say\b|\bof course\b/i, 'nothing'],
  [/\bsimply\b/i, 'nothing'],
  [/\bin vain\b/i, 'without a result'],
  [/\bpatience\b/i, 'timeout'],
  [/\bmay have (?:at most )?(?:\d|`[A-Z])/, '"at most N", "the maximum is N"'],
  [/\bwhat is (?:old|gone|loose)\b/i, 'expired, deleted, orphaned'],
]

let faults = 0
for (const file of FOLDERS.flatMap(sourceFiles)) {
  const text = readFileSync(file, 'utf8')
  for (const { start, value } of proseOf(file, text)) {
    const prose = value.replaceAll(/`[^`]*`/g, '``').replaceAll(/@param \w+/g, '@param')
    for (const [phrase, better] of BANNED) {
      const found = phrase.exec(prose)
      if (!found) continue
      faults++
      const line = text.slice(0, start).split('\n').length
      console.error(`${relative(root, file)}:${line}: "${found[0]}". Better: ${better}.`)
    }
  }
}
if (faults > 0) {
  console.error(`${faults} phrases to reword; the rules are in CONTRIBUTING.md, Language.`)
  process.exitCode = 1
}

/** @returns {string[]} paths of the source files below a folder */
function sourceFiles(folder) {
  const found = []
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.test(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...sourceFiles(path).map((file) => relative(root, file)))
    else if (['.ts', '.tsx', '.mjs'].includes(extname(entry.name)) && entry.name !== 'lint-language.mjs')
      found.push(path)
  }
  return found.map((file) => join(root, file))
}

/** @returns {{ start: number, value: string }[]} the comments of a file, and the names of its tests */
function proseOf(file, text) {
  const { comments } = parseSync(file, text)
  const names = /\.test\.tsx?$/.test(file)
    ? [...text.matchAll(/\b(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(
        ({ index, 2: value }) => ({ start: index, value }),
      )
    : []
  return [...comments.map(({ start, value }) => ({ start, value: value.replaceAll(/\s*\n\s*\*?\s*/g, ' ') })), ...names]
}
