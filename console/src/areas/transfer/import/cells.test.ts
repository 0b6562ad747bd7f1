import { describe, expect, it } from 'vitest'
import { columnsOf } from '../export/columns.ts'
import { csvHead, csvLine } from '../export/write-csv.ts'
import { areTypes, CellFault, cellValue, guessType } from './cells.ts'

describe('CSV cells', () => {
  it.each<[type: string, cell: string, value: unknown]>([
    ['string', ' a ', ' a '],
    ['double', '-1.5', -1.5],
    ['boolean', 'True', true],
    ['date', '2026-01-31', { __type: 'Date', iso: '2026-01-31T00:00:00.000Z' }],
    ['geopoint', '116.4 39.9', { __type: 'GeoPoint', latitude: 39.9, longitude: 116.4 }],
    ['pointer:_User', 'u1', { __type: 'Pointer', className: '_User', objectId: 'u1' }],
    ['file', 'f1', { __type: 'File', id: 'f1' }],
    ['array', '[1,"2"]', [1, '2']],
  ])('of the type %s: %s', (type, cell, value) => {
    expect(cellValue('field', type, cell)).toEqual(value)
  })

  it.each([
    ['double', 'many'],
    ['double', ' '],
    ['boolean', 'yes'],
    ['date', 'yesterday'],
    ['date', '2026-01-31 10:00:00'],
    ['date', '2026-02-30'],
    ['date', '7'],
    ['geopoint', '1'],
    ['object', '{'],
  ])('rejects invalid values of the type %s: %s', (type, cell) => {
    expect(() => cellValue('field', type, cell)).toThrow(CellFault)
  })

  it.each<[cells: string[], type: string]>([
    [['1', '', '-2.5e3'], 'double'],
    [['0123', '1'], 'string'],
    [['12345678901234567890'], 'string'],
    [['true', 'FALSE'], 'boolean'],
    [['2026-01-31', '2026-01-31T10:00:00Z'], 'date'],
    [['2026-01-31 10:00:00'], 'string'],
    [['[1]', '[]'], 'array'],
    [['{"a":1}'], 'object'],
    [['', ''], 'string'],
    [['a', '1'], 'string'],
  ])('%j are detected as the type %s', (cells, type) => {
    expect(guessType('field', cells)).toBe(type)
  })

  it('survive a round trip with types and values', () => {
    const columns = columnsOf({
      fields: {
        title: { type: 'String' },
        author: { type: 'Pointer', className: '_User' },
        likes: { type: 'Relation' },
      },
    })
    const head = csvHead(columns).trim().split('\r\n')
    expect(areTypes(head[0]!.split(','))).toBe(true)
    expect(head[1]).toBe('objectId,title,author,createdAt,updatedAt,ACL')
    const object = {
      objectId: 'o1',
      title: 'a "b", c\nd',
      author: { __type: 'Pointer', className: '_User', objectId: 'u' },
    }
    expect(csvLine(columns, object)).toBe('o1,"a ""b"", c\nd",u,,,\r\n')
  })
})
