// `npm run lint:language`: finds words in comments, texts, test names and documents that CONTRIBUTING.md asks to avoid, because a
// reader has to guess what they refer to. Names of code in backticks are skipped.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'rolldown/utils'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const FOLDERS = ['src', 'console/src', 'bench', 'test', 'scripts']
/** Folders, the file that is generated from texts of endpoints, and this file. */
const SKIPPED = /^(?:node_modules|dist|packages|fixtures|pictures|answers\.ts|lint-language\.mjs)$/

/** Folders whose strings users read. */
const TEXTS = /^(?:src|console\/src)\//

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
  [/\bgoes on\b/i, 'continues, is running'],
  [/\bmust be a text\b/i, '"must be a string"'],
  [/\bthere is no such\b/i, 'name it: "import `abc` not found"'],
  [/\bof no interest\b|\bnone of .{1,20} business\b/i, 'not needed, handled elsewhere'],
]

let faults = 0
for (const file of [...FOLDERS.flatMap(sourceFiles), ...documents()]) {
  const text = readFileSync(file, 'utf8')
  for (const { start, value } of file.endsWith('.md') ? paragraphsOf(text) : proseOf(file, text)) {
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
  return filesBelow(join(root, folder)).filter((file) => ['.ts', '.tsx', '.mjs'].includes(extname(file)))
}

/** @returns {string[]} paths of the files below a folder */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.test(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** @returns {string[]} paths of the English documents */
function documents() {
  const pages = readdirSync(root).map((name) => join(root, name))
  return [...pages, ...filesBelow(join(root, 'docs'))].filter((file) => /(?<!\.zh-CN)\.md$/.test(file))
}

/** @returns {{ start: number, value: string }[]} the paragraphs of a document, without blocks of code */
function paragraphsOf(text) {
  const prose = text.replaceAll(/```[\s\S]*?```/g, (block) => block.replaceAll(/[^\n]/g, ' '))
  return [...prose.matchAll(/[^\n]+(?:\n[^\n]+)*/g)].map(({ index, 0: value }) => ({
    start: index,
    value: value.replaceAll('\n', ' '),
  }))
}

/**
 * @returns {{ start: number, value: string }[]} the comments of a file and the names of its tests; outside of tests the texts
 *   too: strings of several words
 */
function proseOf(file, text) {
  const { comments, program } = parseSync(file, text)
  const found = comments.map(({ start, value }) => ({ start, value: value.replaceAll(/\s*\n\s*\*?\s*/g, ' ') }))
  if (/\.test\.tsx?$/.test(file))
    for (const { index, 2: value } of text.matchAll(
      /\b(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g,
    ))
      found.push({ start: index, value })
  else if (TEXTS.test(relative(root, file))) {
    const add = (start, value) => {
      if (/\w \w/.test(value)) found.push({ start, value })
    }
    new Visitor({
      Literal({ start, value }) {
        if (typeof value === 'string') add(start, value)
      },
      TemplateElement({ start, value }) {
        add(start, value.cooked ?? '')
      },
      JSXText({ start, value }) {
        add(start, value)
      },
    }).visit(program)
  }
  return found
}
