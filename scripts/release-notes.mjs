// Prints the changelog's section of a release, for the GitHub release. Usage: node scripts/release-notes.mjs v1.2.3
// Exits with 1 when the tag and the version in package.json differ, or when the changelog has no dated section for it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Returns the release notes of a version: the text below its heading in the changelog.
 * @param {string} changelog the text of CHANGELOG.md, with headings such as `## 1.2.3 (2026-11-26)`
 * @param {string} version such as `1.2.3` or `1.2.3-rc.1`
 * @returns {string | null} null when the heading is missing or has no date, or when its section is empty
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.split(' ', 1)[0] === version)
  if (section === undefined || !/^\S+ \(\d{4}-\d\d-\d\d\)\n/.test(section)) return null
  const notes = section.slice(section.indexOf('\n')).trim()
  return notes === '' ? null : notes
}

function main(tag) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (tag !== `v${version}`) return fail(`The tag ${tag} must be v${version}, the version in package.json.`)
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (notes === null) return fail(`CHANGELOG.md must have a section "## ${version} (YYYY-MM-DD)" with text.`)
  console.log(notes)
}

function fail(message) {
  console.error(message)
  exit(1)
}

if (argv[1] === fileURLToPath(import.meta.url)) main(argv[2] ?? '')
