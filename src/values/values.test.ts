import { describe, expect, it } from 'vitest'
import { compareText, equalJson, parseJson } from './json.ts'
import { isClassName, isKeyName, newObjectId, objectIds } from './names.ts'
import { normalise } from './typed.ts'

describe('names (protocol/storage, Object)', () => {
  it.each([
    ['Post', true],
    ['_User', true],
    ['post_2', true],
    ['2Post', false],
    ['Po st', false],
    ['', false],
    ['帖子', false],
    ['__Post', false],
    ['Post"', false],
  ])('class name %j is valid: %s', (name, valid) => expect(isClassName(name)).toBe(valid))
  it.each([
    ['title', true],
    ['_private', true],
    ['0', true],
    ['a.b', false],
    ['a b', false],
    ['$a', false],
    ['名', false],
  ])('key name %j is valid: %s', (name, valid) => expect(isKeyName(name)).toBe(valid))
})

describe('object ids', () => {
  it('are 24 hexadecimal characters that begin with the second and grow', () => {
    const now = 1_700_000_000_123
    const ids = Array.from({ length: 1000 }, () => newObjectId(now))
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true)
    expect(Number.parseInt(ids[0]!.slice(0, 8), 16)).toBe(1_700_000_000)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(1000)
  })

  it('of several sources sort by millisecond', () => {
    const [here, there] = [objectIds(), objectIds()]
    const ids = [here(5_000), there(5_001), here(5_002), there(5_999), here(6_000)]
    expect(ids.toSorted()).toEqual(ids)
  })

  it('grow when more are made in a millisecond than it has positions', () => {
    const newId = objectIds()
    const ids = Array.from({ length: 40_000 }, () => newId(7_000))
    ids.push(newId(7_001))
    expect(ids.toSorted()).toEqual(ids)
  })

  it('grow when the time goes back slightly, as for a batch that takes longer than a second', () => {
    const newId = objectIds()
    const ids = [newId(100_900), newId(101_100), newId(100_900), newId(100_900), newId(101_100), newId(20_000)]
    expect(ids.slice(0, 5).toSorted()).toEqual(ids.slice(0, 5))
    expect(Number.parseInt(ids[5]!.slice(0, 8), 16)).toBe(20)
  })

  it('differ in 40 random bits', () => {
    const newId = objectIds()
    const ends = Array.from({ length: 4000 }, () => newId(9_000).slice(14))
    expect(new Set(ends).size).toBe(4000)
    // Each bit is set about half of the time; ten standard deviations are 316.
    for (let bit = 0; bit < 40; bit++) {
      const set = ends.filter((end) => (BigInt(`0x${end}`) >> BigInt(bit)) & 1n).length
      expect(Math.abs(set - 2000)).toBeLessThan(320)
    }
  })
})

describe('stored values', () => {
  it.each([
    [
      { __type: 'Date', iso: '2026-01-02T03:04:05Z', extra: 1 },
      { __type: 'Date', iso: '2026-01-02T03:04:05.000Z' },
    ],
    [
      { __type: 'Pointer', className: 'Post', objectId: 'a1', title: 'x' },
      { __type: 'Pointer', className: 'Post', objectId: 'a1' },
    ],
    [
      { __type: 'Pointer', className: '_File', objectId: 'a1' },
      { __type: 'File', id: 'a1' },
    ],
    [
      { __type: 'File', objectId: 'a1', url: 'http://x' },
      { __type: 'File', id: 'a1' },
    ],
    [{ a: [{ b: { __type: 'Bytes', base64: 'aGk=', x: 1 } }] }, { a: [{ b: { __type: 'Bytes', base64: 'aGk=' } }] }],
    ['nul \u0000', 'nul \ufffd'],
    ['half \ud800', 'half \ufffd'],
    [[{ 'nul\u0000key': '\udc00' }], [{ 'nul\ufffdkey': '\ufffd' }]],
  ])('stores %j as %j', (wire, stored) => expect(normalise(wire, 'f')).toEqual(stored))
  it.each([
    [{ __type: 'Date', iso: 'yesterday' }, 111],
    [{ __type: 'Bytes', base64: 'a b' }, 111],
    [{ __type: 'Nothing' }, 111],
    [{ __type: 'Pointer', className: 'Post' }, 106],
    [{ __type: 'GeoPoint', latitude: 90.1, longitude: 0 }, 302],
    [{ __type: 'GeoPoint', latitude: 0, longitude: -181 }, 302],
    [{ __type: 'GeoPoint', latitude: '1', longitude: 0 }, 302],
    [{ a: { 'b.c': 1 } }, 121],
    [{ a: [{ $b: 1 }] }, 121],
  ])('rejects %j with code %i', (wire, code) => {
    expect(() => normalise(wire, 'f')).toThrow(expect.objectContaining({ code }))
  })
  it('does not repeat long input in the error', () => {
    const wire = { __type: 'x'.repeat(100_000) }
    expect(() => normalise(wire, 'f')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }),
    )
  })
  it.each(['', 'aGk=', 'aA==', 'YWJj', 'AAAA'.repeat(4_000_000)])('accepts base64 of any length', (base64) => {
    expect(normalise({ __type: 'Bytes', base64 }, 'f')).toEqual({ __type: 'Bytes', base64 })
  })
  it.each(['a', 'a===', '====', 'aGk', 'aG=k', 'aGk=aGk=', 'aGk_', 'aGk=\n'])('rejects %j as base64', (base64) => {
    expect(() => normalise({ __type: 'Bytes', base64 }, 'f')).toThrow(expect.objectContaining({ code: 111 }))
  })
  it('rejects a value nested too deeply', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(() => normalise(deep, 'f')).toThrow(expect.objectContaining({ code: 107 }))
  })
  it('treats a member called __proto__ as ordinary data', () => {
    const stored = normalise(JSON.parse('{"a":{"__proto__":{"polluted":true}}}'), 'f')
    expect(JSON.stringify(stored)).toBe('{"a":{"__proto__":{"polluted":true}}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('JSON from outside', () => {
  const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  it('is nested at most 1000 levels deep', () => {
    expect(parseJson(lists(1000), 'it')).toBeInstanceOf(Array)
    expect(() => parseJson(lists(1001), 'it')).toThrow(expect.objectContaining({ code: 107 }))
    expect(() => parseJson(`{"a":"\\"","b":${lists(1_000_000)}}`, 'it')).toThrow(expect.objectContaining({ code: 107 }))
  })
  it('accepts any number of brackets in strings and side by side', () => {
    const wire = { 'a["\\': `${'['.repeat(5000)}\\"{`, b: Array.from({ length: 5000 }, () => [{}]) }
    expect(parseJson(JSON.stringify(wire), 'it')).toEqual(wire)
  })
  it('has at most the maximum number of values, including names of members', () => {
    const objects = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ a: 1, b: ',{[' })))
    expect(parseJson(objects(10_000), 'it', 50_001)).toHaveLength(10_000)
    expect(() => parseJson(objects(10_001), 'it', 50_001)).toThrow('it has more than 50001 values')
    expect(() => parseJson(`[${'[],'.repeat(5_000_000)}1]`, 'it')).toThrow('it has more than 150000 values')
  })
  it('is rejected with the name of the text when invalid', () => {
    expect(() => parseJson('{', 'The body')).toThrow('The body must be valid JSON.')
  })
})

describe('comparison', () => {
  it('orders texts by code point, not by UTF-16 unit', () => {
    expect(compareText('\uffff', '\u{1f600}')).toBe(-1)
    expect(['b', 'a', 'B', 'ab', ''].sort(compareText)).toEqual(['', 'B', 'a', 'ab', 'b'])
  })
  it('treats objects as equal regardless of the order of their keys', () => {
    expect(equalJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
    expect(equalJson({ a: 1 }, { a: 1, b: 2 })).toBe(false)
    expect(equalJson([1, 2], [2, 1])).toBe(false)
    expect(equalJson({}, [])).toBe(false)
  })
})
