import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isNamed, namedFiles, readWalks } from '../support/walks.ts'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))

it.each([...readWalks()])('%s: every file of the walk exists', (_name, walk) => {
  const names = namedFiles(walk)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !files.some((file) => isNamed(file, [name])))).toEqual([])
})

it('the architecture describes four walks', () => {
  expect([...readWalks().keys()]).toEqual(['A create', 'A query', 'A chat message', 'A push'])
})
