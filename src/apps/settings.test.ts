import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../values/json.ts'
import { withPaths } from './settings.ts'

describe('settings named by paths in a patch', () => {
  it.each<[patch: JsonObject, expected: JsonObject]>([
    [{ 'engine.production': 'x' }, { engine: { production: 'x' } }],
    [{ 'engine.production': null }, { engine: { production: null } }],
    [{ 'engine.production': 'x', 'engine.staging': 'y' }, { engine: { production: 'x', staging: 'y' } }],
    [{ engine: { staging: 'y' }, 'engine.production': 'x' }, { engine: { staging: 'y', production: 'x' } }],
    [{ 'push.limits.calls': 5, push: { clients: true } }, { push: { limits: { calls: 5 }, clients: true } }],
    [{ engine: { production: 'x' } }, { engine: { production: 'x' } }],
    [{ 'nothing.production': 'x' }, { 'nothing.production': 'x' }],
    [JSON.parse('{"__proto__.polluted":true}'), JSON.parse('{"__proto__.polluted":true}')],
    [{ 'engine.__proto__.polluted': true }, JSON.parse('{"engine":{"__proto__":{"polluted":true}}}')],
  ])('expand in %j', (patch, expected) => {
    expect(withPaths(patch)).toEqual(expected)
    expect((Object.prototype as { polluted?: Json }).polluted).toBeUndefined()
  })

  it.each<[patch: JsonObject]>([
    [{ engine: null, 'engine.production': 'x' }],
    [{ 'engine.production': 'x', engine: 5 }],
  ])('are rejected when %j contradicts itself', (patch) => {
    expect(() => withPaths(patch)).toThrow(expect.objectContaining({ code: 1 }))
  })
})
