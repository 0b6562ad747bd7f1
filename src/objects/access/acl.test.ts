import { describe, expect, it } from 'vitest'
import { aclColumns, aclFromTemplate, parseAcl } from './acl.ts'
import { ANONYMOUS } from './caller.ts'

describe('ACL values (protocol/storage, ACL value)', () => {
  it('a permission that is false counts as absent', () => {
    expect(parseAcl({ '*': { read: true, write: false }, abc: { read: false } })).toEqual({ '*': { read: true } })
  })
  it.each([
    [null],
    ['*'],
    [['*']],
    [{ '*': true }],
    [{ '*': { admin: true } }],
    [{ '*': { read: 'yes' } }],
    [{ 'a b': { read: true } }],
    [{ 'role:': {} }],
  ])('%j is refused with code 123', (acl) =>
    expect(() => parseAcl(acl)).toThrow(expect.objectContaining({ code: 123 })),
  )
})

describe('the columns that permissions are checked by', () => {
  it('everyone is null', () => {
    expect(aclColumns({ '*': { read: true, write: true } })).toEqual({ acl: null, readers: null, writers: null })
    expect(aclColumns({ '*': { read: true }, abc: { write: true } })).toMatchObject({ readers: null, writers: ['abc'] })
  })
  it('an empty ACL lets nobody in', () => {
    expect(aclColumns({})).toEqual({ acl: '{}', readers: [], writers: [] })
  })
})

describe('default ACL of a class', () => {
  const template = { '*': { read: true }, _owner: { read: true, write: true } } as const
  it('gives the owner place to the creating user', () => {
    expect(aclFromTemplate(template, { master: false, userId: 'u1', grants: ['u1'] })).toEqual({
      '*': { read: true },
      u1: { read: true, write: true },
    })
  })
  it('has no owner when nobody is logged in', () => {
    expect(aclFromTemplate(template, ANONYMOUS)).toEqual({ '*': { read: true } })
  })
})
