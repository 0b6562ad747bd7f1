import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { releaseNotes } from '../../scripts/release-notes.mjs'

const CHANGELOG = `# Changelog

## Unreleased

- later

## 1.2.0 (2026-12-01)

### Added

- a thing

## 1.2.0-rc.1 (2026-11-30)

- a candidate

## 1.1.0

- without a date
`

it.each([
  ['1.2.0', '### Added\n\n- a thing'],
  ['1.2.0-rc.1', '- a candidate'],
])('the release notes of %s are the text below its heading', (version, notes) => {
  expect(releaseNotes(CHANGELOG, version)).toBe(notes)
})

it.each(['1.2', '1.1.0', 'Unreleased', '3.0.0'])('there are no release notes for %s', (version) => {
  expect(releaseNotes(CHANGELOG, version)).toBeNull()
})

it('the changelog has release notes of the version in package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version)).not.toBeNull()
})
