import { describe, expect, it } from 'vitest'
import { aclColumns, aclFromTemplate, parseAcl } from './acl.ts'
import { ANONYMOUS } from './caller.ts'

describe('ACL values (protocol/storage, ACL value)', () => {
  it('drops permissions that are false', () => {
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
  ])('rejects %j with code 123', (acl) => expect(() => parseAcl(acl)).toThrow(expect.objectContaining({ code: 123 })))
})

describe('columns that permissions are checked by', () => {
  it('stores everyone as null', () => {
    expect(aclColumns({ '*': { read: true, write: true } })).toEqual({ acl: null, readers: null, writers: null })
    expect(aclColumns({ '*': { read: true }, abc: { write: true } })).toMatchObject({ readers: null, writers: ['abc'] })
  })
  it('stores an empty ACL as a list of no users', () => {
    expect(aclColumns({})).toEqual({ acl: '{}', readers: [], writers: [] })
  })
})

describe('default ACL of a class', () => {
  const template = { '*': { read: true }, _owner: { read: true, write: true } } as const
  it('replaces the owner placeholder by the creating user', () => {
    expect(aclFromTemplate(template, { master: false, userId: 'u1', grants: ['u1'] })).toEqual({
      '*': { read: true },
      u1: { read: true, write: true },
    })
  })
  it('has no owner when no user is logged in', () => {
    expect(aclFromTemplate(template, ANONYMOUS)).toEqual({ '*': { read: true } })
  })
})
