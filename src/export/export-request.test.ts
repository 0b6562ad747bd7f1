import { expect, it } from 'vitest'
import { parseExportRequest } from './export-request.ts'

const everything = { classes: null, from: null, to: null, schemaOnly: false, email: null }

it.each([
  [{}, {}],
  [{ classes: null, from_date: null, to_date: null, 'only-schema': null, email: null }, {}],
  [{ classes: '' }, {}],
  [{ classes: 'Post' }, { classes: ['Post'] }],
  [{ classes: ' Post , _User,Post,' }, { classes: ['Post', '_User'] }],
  [{ classes: 'files' }, { classes: ['_File'] }],
  [{ from_date: '2026-01-02' }, { from: '2026-01-02T00:00:00.000Z' }],
  [{ to_date: '2026-01-02T08:00:00+08:00' }, { to: '2026-01-02T00:00:00.000Z' }],
  [{ to_date: { __type: 'Date', iso: '2026-01-02T03:04:05.006Z' } }, { to: '2026-01-02T03:04:05.006Z' }],
  [{ 'only-schema': 'true' }, { schemaOnly: true }],
  [{ 'only-schema': true }, { schemaOnly: true }],
  [{ 'only-schema': 'false' }, {}],
  [{ email: 'a@example.org' }, { email: 'a@example.org' }],
])('parses %j as %j', (body, expected) => {
  expect(parseExportRequest(body)).toEqual({ ...everything, ...expected })
})

it.each([
  [[], 107, ''],
  ['text', 107, ''],
  [{ from_date: 'yesterday' }, 1, "'from_date'"],
  [{ from_date: 1 }, 1, "'from_date'"],
  [{ from_date: '1' }, 1, "'from_date'"],
  [{ to_date: '2026-13-01' }, 1, "'to_date'"],
  [{ to_date: { __type: 'Bytes', iso: '2026-01-01' } }, 1, "'to_date'"],
  [{ from_date: '2026-01-02', to_date: '2026-01-01' }, 1, "'from_date'"],
  [{ classes: ['Post'] }, 1, "'classes'"],
  [{ classes: 'Post;User' }, 1, "'Post;User'"],
  [{ classes: '../Post' }, 1, "'../Post'"],
  [{ 'only-schema': 'yes' }, 1, "'only-schema'"],
  [{ 'only-schema': 1 }, 1, "'only-schema'"],
  [{ email: 'nobody' }, 125, ''],
  [{ email: '' }, 125, ''],
  [{ email: 5 }, 125, ''],
])('rejects %j with code %i', (body, code, text) => {
  expect(() => parseExportRequest(body)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  )
})
