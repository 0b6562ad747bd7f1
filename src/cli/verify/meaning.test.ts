import { expect, test } from 'vitest'
import type { Kind } from '../../import/batch.ts'
import type { Finding } from '../../import/verification.ts'
import { type Arrival, meaningOf, meaningOfExtra } from './meaning.ts'

const objects: Kind = { kind: 'objects', className: 'Post' }
const members: Kind = { kind: 'relations', className: 'Post', field: 'likes', targetClass: '_User' }
const messages = { kind: 'messaging', className: 'messaging-messages' } as Kind
const values = { kind: 'statistics', className: '_Entity', board: 'best', version: 1 } as Kind
const [early, arrived, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
const file: Arrival = { isLive: false, pulledUntil: null, importedAt: arrived }
const live: Arrival = { isLive: true, pulledUntil: arrived, importedAt: early }
const unpulled: Arrival = { isLive: true, pulledUntil: null, importedAt: arrived }
const different = (changedThere: string | null, changedHere: string | null): Finding => ({
  what: 'different',
  id: 'a',
  place: 'x:1',
  changedThere,
  changedHere,
  fields: [],
})
const missing = (changedThere: string | null, changedHere: string | null = null): Finding => ({
  ...different(changedThere, changedHere),
  what: 'missing',
})
const value = (here: number, there: number): Finding => ({
  ...different(null, null),
  fields: [{ field: 'value', here: String(here), there: String(there) }],
})
const board = { order: 'descending', updateStrategy: 'better', isOver: false } as const
const inBoard = (more: object, arrival = file): Arrival => ({ ...arrival, board: { ...board, ...more } })

test.each([
  ['is the same age', file, objects, different(early, early), 'differs'],
  ['was changed here later', file, objects, different(early, late), 'changed here since'],
  ['is younger in a file, which cannot change', file, objects, different(late, early), 'differs'],
  ['was changed in a live app after the pull', live, objects, different(late, early), 'changed there since'],
  ['was changed in a live app, and the pull has missed it', live, objects, different(early, '2025'), 'differs'],
  [
    'was changed in a live app that was never pulled',
    unpulled,
    objects,
    different(early, '2025'),
    'changed there since',
  ],
  ['has no times', file, objects, different(null, late), 'differs'],
  ['is missing', file, objects, missing(late), 'missing'],
  ['is missing and was made in a live app after the pull', live, objects, missing(late), 'made there since'],
  ['is missing and was there when it was pulled', live, objects, missing(early), 'missing'],
  ['is a missing member of an object that was changed here', file, members, missing(null, late), 'changed here since'],
  ['is a missing member of an object as it came', file, members, missing(null, early), 'missing'],
  ['is a worse value', inBoard({}), values, value(1, 2), 'differs'],
  ['is a better value', inBoard({}), values, value(10, 9), 'changed here since'],
  ['is a worse value where less is better', inBoard({ order: 'ascending' }), values, value(10, 9), 'differs'],
  [
    'is a better value where less is better',
    inBoard({ order: 'ascending' }),
    values,
    value(9, 10),
    'changed here since',
  ],
  ['is another value of a version that is over', inBoard({ isOver: true }), values, value(10, 9), 'differs'],
  ['is a later value than in a file', inBoard({ updateStrategy: 'last' }), values, value(1, 2), 'changed here since'],
  [
    'is another value than in a live app',
    inBoard({ updateStrategy: 'sum' }, live),
    values,
    value(1, 2),
    'changed there since',
  ],
] as const)('judges a record that %s', (_, arrival, of, finding, meaning) => {
  expect(meaningOf(of, finding, arrival)).toBe(meaning)
})

test.each([
  ['was created before the import', file, objects, early, 'only here'],
  ['was created after the import', file, objects, late, 'made here since'],
  ['has no creation time', file, members, null, 'only here'],
  ['was created in an app without an import', { ...file, importedAt: null }, objects, late, 'only here'],
  ['was created between two pulls', live, objects, '2026-01-15T00:00:00.000Z', 'only here'],
  ['is a message that the live source has deleted', live, messages, early, 'no longer there'],
  ['is a message that is missing in the file', file, messages, early, 'only here'],
] as const)('judges a record that is only here and %s', (_, arrival, of, since, meaning) => {
  expect(meaningOfExtra(of, since, arrival)).toBe(meaning)
})
