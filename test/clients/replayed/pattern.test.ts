import { describe, expect, it } from 'vitest'
import { parseFixture } from './fixture.ts'
import { checkPattern, mismatches } from './pattern.ts'

const ID = '0123456789abcdef01234567'
const ISO = '2026-01-02T03:04:05.678Z'

describe('a pattern', () => {
  it.each<[pattern: unknown, matching: readonly unknown[], others: readonly unknown[]]>([
    [1, [1], [2, '1', undefined, null]],
    [null, [null], [undefined, 0]],
    [0, [0], [-0]],
    [{ a: 1 }, [{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 2 }, [], null, 'a']],
    [{ a: { b: 1 } }, [{ a: { b: 1, c: 2 } }], [{ a: {} }, { a: null }]],
    [{ toString: { $match: 'any' } }, [{ toString: 1 }], [{}]],
    [[1, { a: 1 }], [[1, { a: 1, b: 2 }]], [[1], [1, { a: 1 }, 2], { 0: 1 }, [{ a: 1 }, 1]]],
    [{ $exact: { a: { b: 1 } } }, [{ a: { b: 1 } }], [{ a: { b: 1, c: 2 } }, { a: { b: 1 }, c: 2 }]],
    [{ $exact: { a: { $partial: { b: 1 } } } }, [{ a: { b: 1, c: 2 } }], [{ a: { b: 1 }, c: 2 }]],
    [{ $exact: [{ a: 1 }] }, [[{ a: 1 }]], [[{ a: 1, b: 2 }]]],
    [{ a: { $absent: true } }, [{}, { a: undefined }], [{ a: null }, { a: 1 }]],
    [{ $not: 'old' }, ['new', undefined], ['old']],
    [{ $anyOf: [1, { $absent: true }] }, [1, undefined], [2, null]],
    [{ $allOf: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }, { b: 2 }]],
    [{ $contains: [{ a: 1 }] }, [[{ a: 1 }, 2]], [[], [{ a: 2 }], { a: 1 }]],
    [{ $unordered: [1, 2] }, [[2, 1]], [[1], [1, 1], [1, 2, 3], [1, 2, 2]]],
    [{ $each: { $match: 'number' } }, [[1, 2]], [[], [1, 'a'], 1]],
    [{ $keys: ['b', 'a'] }, [{ b: 1, a: 2 }], [{ a: 2, b: 1 }, { b: 1 }, { b: 1, a: 2, c: 3 }, null]],
    [{ $json: { a: 1 } }, ['{"a":1,"b":2}'], ['{"a":2}', 'a', { a: 1 }, undefined]],
    [{ $regex: '^a$' }, ['a'], ['ab', 1, undefined]],
    [{ $atLeast: 400 }, [400, 401], [399, '400', undefined]],
    [Buffer.from('a'), [Buffer.from('a')], [Buffer.from('b'), 'a', undefined]],
    [{ $match: 'any' }, [null, 0], [undefined]],
    [{ $match: 'notNull' }, [0, {}], [null, undefined]],
    [{ $match: 'text' }, ['', 'a'], [1, null, undefined]],
    [{ $match: 'number' }, [1.5], ['1', null, undefined]],
    [{ $match: 'integer' }, [1], [1.5, '1', undefined]],
    [{ $match: 'boolean' }, [false], [0, null, undefined]],
    [{ $match: 'object' }, [{}], [[], null, 'a']],
    [{ $match: 'array' }, [[]], [{}, null, undefined]],
    [{ $match: 'objectId' }, [ID], [`${ID}8`, ID.toUpperCase(), 5]],
    [{ $match: 'iso' }, [ISO], ['2026-01-02T03:04:05Z', '2026-01-02', Date.parse(ISO), new Date(ISO)]],
    [{ $match: 'url' }, ['http://a.example/b'], ['a.example', '', undefined]],
  ])('%j accepts matching values and rejects others', (pattern, matching, others) => {
    expect(checkPattern(pattern)).toEqual([])
    for (const value of matching) expect(mismatches(pattern, value)).toEqual([])
    for (const value of others) expect(mismatches(pattern, value), JSON.stringify(value)).not.toEqual([])
  })

  it('names the member that differs', () => {
    const wrong = mismatches({ results: [{ n: 1 }] }, { results: [{ n: 2 }] }, 'body')
    expect(wrong).toEqual(['body.results.0.n: expected 1, got 2'])
  })

  it.each([
    [{ $mach: 'text' }, 'unknown operator $mach'],
    [{ a: [{ $match: 'string' }] }, 'unknown type "string"'],
    [{ $not: { $match: 'uuid' } }, 'unknown type "uuid"'],
    [{ $match: 'text', a: 1 }, '$match must be the only key of its object'],
    [{ $contains: [] }, 'an operator for several patterns must have some'],
    [{ $absent: false }, '$absent must be true'],
    [{ $regex: '(' }, '"(" is no expression'],
  ])('%j is rejected when its fixture is loaded', (pattern, problem) => {
    expect(checkPattern(pattern)).toEqual([problem])
  })

  it('fails on an unknown operator that was not checked', () => {
    expect(() => mismatches({ $mach: 'text' }, 'a')).toThrow('unknown operator $mach')
  })
})

describe('a fixture', () => {
  const withSteps = (...steps: object[]) => ({
    client: 'a client',
    versions: '1',
    note: 'a note',
    headers: { client: {} },
    contentType: 'application/json',
    sequences: { save: { parameters: ['body'], steps: [{ http: 'POST /1.1/classes/Todo', body: '{{body}}' }] } },
    scenarios: [{ name: 'a scenario', steps }],
  })

  it('is parsed with known members', () => {
    const steps = [
      { http: 'GET /1.1/date', expect: { body: {} } },
      { sequence: 'save', with: { body: { n: 1 } } },
    ]
    expect(parseFixture(withSteps(...steps)).scenarios[0]!.steps.map(({ kind }) => kind)).toEqual(['http', 'sequence'])
  })

  it.each<[object, RegExp]>([
    [{ http: 'GET /1.1/date', expects: { body: {} } }, /Unrecognized key: "expects"/],
    [{ http: 'GET /1.1/date', expect: { bodies: {} } }, /Unrecognized key: "bodies"/],
    [{ http: 'GET /1.1/date', expect: {} }, /expects nothing/],
    [{ http: 'GET /1.1/date', expect: { body: { $mach: 'iso' } } }, /unknown operator \$mach/],
    [{ http: 'GET /1.1/date', query: { where: { n: { $above: 1 } } } }, /unknown operator \$above/],
    [{ http: 'POST /1.1/batch', body: {}, text: '' }, /a request has one body/],
    [{ on: 'his', request: { cmd: 'echo' } }, /expect/],
    [{ on: 'his', wait: 1 }, /a step must have one of/],
    [{ sequence: 'saved' }, /unknown sequence saved/],
    [{ sequence: 'save' }, /the sequence save needs body/],
    [{ sequence: 'save', with: { body: {}, bodies: {} } }, /the sequence save has no parameter bodies/],
  ])('is rejected with the step %j', (step, problem) => {
    expect(() => parseFixture(withSteps(step))).toThrow(problem)
  })
})
