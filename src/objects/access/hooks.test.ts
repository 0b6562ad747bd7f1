import { describe, expect, it } from 'vitest'
import { ANONYMOUS, type Caller, MASTER } from './caller.ts'
import { hasHook, type ObjectHooks, withIgnoredHooks } from './hooks.ts'
import { CLASS_HOOKS, type Origin } from './origin.ts'

const origin: Origin = { production: true, clientAddress: undefined, fromCloudCode: false, ignored: new Set() }
const client: Caller = { ...ANONYMOUS, origin }
const trusted: Caller = { ...ANONYMOUS, origin: { ...origin, fromCloudCode: true } }
const hooks: ObjectHooks = {
  has: () => true,
  invoke: async () => ({}),
  notify: async () => {},
  isSigned: (kind, className, signature) => signature === `${kind} ${className} signed`,
}
const store = { hooks }
const ignoredBy = (body: unknown, caller: Caller) => [
  ...(withIgnoredHooks(store, 'Post', body, caller).origin?.ignored ?? []),
]

describe('hasHook', () => {
  it('depends on the cloud code', () => {
    expect(hasHook(store, 'beforeSave', 'Post', client)).toBe(true)
    expect(hasHook({ hooks: { ...hooks, has: () => false } }, 'beforeSave', 'Post', client)).toBe(false)
  })

  it('is false for operations of the server itself, and for devices', () => {
    expect(hasHook(store, 'beforeSave', 'Post', MASTER)).toBe(false)
    expect(hasHook(store, 'beforeSave', '_Installation', client)).toBe(false)
  })

  it('is false for ignored hooks', () => {
    const caller = withIgnoredHooks(store, 'Post', { __ignore_hooks: ['beforeSave'] }, trusted)
    expect(CLASS_HOOKS.filter((hook) => !hasHook(store, hook, 'Post', caller))).toEqual(['beforeSave'])
  })
})

describe('hooks ignored by a body', () => {
  it.each([
    [
      ['afterSave', 'beforeSave'],
      ['beforeSave', 'afterSave'],
    ],
    [['beforeSave', 'beforeSave'], ['beforeSave']],
    [['beforeSave', 'onLogin', 'beforeEverything', 7, null], ['beforeSave']],
    [[], []],
    ['beforeSave', []],
    [{ beforeSave: true }, []],
    [null, []],
  ])('%j are parsed as %j', (named, expected) => {
    expect(ignoredBy({ __ignore_hooks: named }, trusted)).toEqual(expected)
  })

  it('may be named with the master key', () => {
    expect(ignoredBy({ __ignore_hooks: ['afterSave'] }, { ...client, master: true })).toEqual(['afterSave'])
  })

  it('are not accepted without proof of cloud code or the master key', () => {
    expect(ignoredBy({ __ignore_hooks: CLASS_HOOKS }, client)).toEqual([])
    expect(withIgnoredHooks(store, 'Post', { __ignore_hooks: CLASS_HOOKS }, MASTER)).toBe(MASTER)
  })

  it.each([null, 'text', ['beforeSave'], 5])('are none in a body that is not an object: %j', (body) => {
    expect(ignoredBy(body, trusted)).toEqual([])
  })

  it('are all hooks of a kind for a legacy signature, which is its own proof', () => {
    const before = ['beforeSave', 'beforeUpdate', 'beforeDelete']
    expect(ignoredBy({ __before: 'before Post signed' }, client)).toEqual(before)
    expect(ignoredBy({ __after: 'after Post signed' }, client)).toEqual(['afterSave', 'afterUpdate', 'afterDelete'])
    expect(ignoredBy({ __before: 'after Post signed' }, client)).toEqual([])
    expect(ignoredBy({ __before: 'before Other signed' }, client)).toEqual([])
    expect(ignoredBy({ __before: 5 }, client)).toEqual([])
  })

  it('stay ignored when the body is read again without them', () => {
    const caller = withIgnoredHooks(store, 'Post', { __ignore_hooks: ['beforeSave'] }, trusted)
    expect([...withIgnoredHooks(store, 'Post', {}, caller).origin!.ignored]).toEqual(['beforeSave'])
  })
})
