import { describe, expect, it } from 'vitest'
import { parseUserBody } from './user-body.ts'

const parse = (body: unknown, master = false) => {
  const { fields, authData, ...rest } = parseUserBody(body, master)
  return { fields: { ...fields }, authData: authData && [...authData], ...rest }
}

describe('the body of a user', () => {
  it('is split into fields, password and linked accounts', () => {
    const body = {
      username: 'ann',
      password: 'secret',
      email: 'ann@example.org',
      mobilePhoneNumber: '13800000000',
      nick: 'A',
      'profile.city': 'Oslo',
      ACL: { '*': { read: true } },
      authData: { github: { uid: 'u' } },
      'authData.qq': { __op: 'Delete' },
    }
    expect(parse(body)).toEqual({
      fields: {
        username: 'ann',
        email: 'ann@example.org',
        mobilePhoneNumber: '13800000000',
        nick: 'A',
        'profile.city': 'Oslo',
        ACL: { '*': { read: true } },
      },
      username: 'ann',
      password: 'secret',
      email: 'ann@example.org',
      mobilePhoneNumber: '13800000000',
      authData: [
        ['github', { uid: 'u' }],
        ['qq', null],
      ],
    })
  })

  it('distinguishes members that are absent from members that are removed', () => {
    expect(parse({})).toEqual({
      fields: {},
      username: undefined,
      password: undefined,
      email: undefined,
      mobilePhoneNumber: undefined,
      authData: null,
    })
    const removal = { __op: 'Delete' }
    expect(parse({ email: null, mobilePhoneNumber: removal })).toMatchObject({
      fields: { email: removal, mobilePhoneNumber: removal },
      email: null,
      mobilePhoneNumber: null,
    })
  })

  it('never stores a password, a token or a salt as a field', () => {
    const body = {
      password: 'secret',
      sessionToken: 't',
      salt: 's',
      bcryptPassword: 'b',
      'sessionToken.x': 1,
      'salt.x': 1,
      'bcryptPassword.x': 1,
    }
    for (const master of [false, true]) expect(parse(body, master).fields).toEqual({})
  })

  it('sets the flags of verification for the master key only', () => {
    const flags = { emailVerified: true, mobilePhoneVerified: false }
    expect(parse({ ...flags, 'emailVerified.x': 1 }).fields).toEqual({})
    expect(parse(flags, true).fields).toEqual(flags)
  })

  it('is not misled by __proto__', () => {
    const { fields, password } = parseUserBody(JSON.parse('{"__proto__":{"password":"p","nick":"n"}}'), false)
    expect(password).toBe(undefined)
    expect('nick' in fields).toBe(false)
  })

  it.each([
    [[], 107],
    ['x', 107],
    [null, 107],
    [{ username: '' }, 217],
    [{ username: 'x'.repeat(1025) }, 217],
    [{ username: 'ü'.repeat(513) }, 217],
    [{ password: '' }, 218],
    [{ password: 'x'.repeat(4097) }, 218],
    [{ email: 'nowhere' }, 125],
    [{ mobilePhoneNumber: '+' }, 127],
    [{ 'password.x': 1 }, 111],
    [{ 'username.x': { __op: 'Delete' } }, 111],
    [{ 'email.x': 1 }, 111],
    [{ 'mobilePhoneNumber.x': 1 }, 111],
    [{ 'authData.a.b': {} }, 105],
    [{ 'authData._weixin_unionid': { uid: 'u' } }, 105],
  ])('is rejected with a specific error when it is invalid', (body, code) => {
    expect(() => parseUserBody(body, false)).toThrow(expect.objectContaining({ code }))
  })
})
