import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const NAMES = ['DATA', 'DATABASE_URL', 'DATABASE_CONNECTIONS', 'HOST']

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DAAT', 'DATA'],
  ['HOSTS', 'HOST'],
  ['SOMETHING_ELSE', undefined],
])('%s means %s', (misspelled, meant) => {
  expect(nearestName(misspelled, NAMES)).toBe(meant)
})
