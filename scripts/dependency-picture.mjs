// Updates the dependency diagram of src/ in docs/architecture.md: `npm run deps:picture`. With --check it only compares, and
// fails when the diagram is outdated.
import { readFileSync, writeFileSync } from 'node:fs'
import { cruise } from 'dependency-cruiser'
import config from '../.dependency-cruiser.mjs'

const PAGE = new URL('../docs/architecture.md', import.meta.url)
const BEGIN = '<!-- The picture is made by `npm run deps:picture`. -->\n'
const END = '<!-- End of the picture. -->\n'

const page = readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n')
const begin = page.indexOf(BEGIN) + BEGIN.length
const end = page.indexOf(END)
if (begin < BEGIN.length || end < begin) throw new Error(`docs/architecture.md lacks the lines ${BEGIN}and ${END}`)

const drawn = page.slice(0, begin) + picture(reduced(await foldersOf('src'))) + page.slice(end)
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, drawn)
} else if (drawn !== page) {
  console.error('The picture in docs/architecture.md is not the current one: run `npm run deps:picture`.')
  process.exitCode = 1
}

/**
 * @param {string} root
 * @returns {Promise<Map<string, Set<string>>>} the imports of each folder from others; single files are omitted, except
 * `server.ts`, which builds the program
 */
async function foldersOf(root) {
  const { output } = await cruise([root], { ...config.options, collapse: `^${root}/[^/]+` })
  if (typeof output === 'string') throw new Error(output)
  const name = (/** @type {string} */ path) => path.slice(root.length + 1)
  const isShown = (/** @type {string} */ path) =>
    path.startsWith(`${root}/`) && (!path.endsWith('.ts') || path === `${root}/server.ts`)
  return new Map(
    output.modules
      .filter(({ source }) => isShown(source))
      .map(({ source, dependencies }) => {
        const imported = dependencies.map(({ resolved }) => resolved).filter((path) => isShown(path) && path !== source)
        return [name(source), new Set(imported.map(name))]
      }),
  )
}

/**
 * Removes transitive imports: A → C when there is A → B → C.
 * @param {Map<string, Set<string>>} folders without cycles
 */
function reduced(folders) {
  const reach = (/** @type {string} */ from, /** @type {string} */ to) =>
    [...(folders.get(from) ?? [])].some((next) => next === to || reach(next, to))
  return new Map(
    [...folders].map(([from, imported]) => [
      from,
      [...imported].filter((to) => ![...imported].some((between) => between !== to && reach(between, to))),
    ]),
  )
}

/** @param {Map<string, string[]>} folders */
function picture(folders) {
  const lines = [...folders].flatMap(([from, imported]) => imported.map((to) => `  ${from} --> ${to}\n`))
  return `\n\`\`\`mermaid\nflowchart TD\n${lines.sort().join('')}\`\`\`\n\n`
}
