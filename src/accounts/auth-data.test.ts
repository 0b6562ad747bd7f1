import { describe, expect, it } from 'vitest'
import { identityOf, isMainAccount, parseAuthData, uidsOf, unionOf, withoutUids } from './auth-data.ts'

describe('authData', () => {
  it('is split by platform; null and Delete unlink', () => {
    const parsed = parseAuthData({ github: { uid: 'u' }, qq: null, 'my-own_1': { __op: 'Delete' } })
    expect([...parsed]).toEqual([
      ['github', { uid: 'u' }],
      ['qq', null],
      ['my-own_1', null],
    ])
  })

  it('changes nothing when null or empty', () => {
    expect([...parseAuthData(null), ...parseAuthData({})]).toEqual([])
  })

  it('ignores the union entries that a client has read, because the server sets them', () => {
    expect([...parseAuthData({ _weixin_unionid: { uid: 'u' }, _qq_unionid: null })]).toEqual([])
  })

  it.each([[['x']], ['x'], [1], [true], [{ __op: 'Delete' }]])('rejects %j with error 111', (value) => {
    expect(() => parseAuthData(value)).toThrow(expect.objectContaining({ code: 111 }))
  })

  it.each([[[]], ['x'], [1], [false], [{ __op: 'Increment' }]])('rejects %j for a platform with error 111', (value) => {
    expect(() => parseAuthData({ github: value })).toThrow(expect.objectContaining({ code: 111 }))
  })

  it.each(['', '_own', '_x_unionid_', 'a.b', 'a b', '__proto__', 'x'.repeat(65), 'ü'])(
    'rejects the platform %j with error 105',
    (platform) => {
      const value = Object.fromEntries([[platform, { uid: 'u' }]])
      expect(() => parseAuthData(value)).toThrow(expect.objectContaining({ code: 105 }))
    },
  )
})

describe('the id of a user on a platform', () => {
  // protocol/accounts, authData, Identity member
  it.each([
    ['weixin', 'openid'],
    ['qq', 'openid'],
    ['taptap', 'openid'],
    ['lc_weapp', 'openid'],
    ['lc_qqapp', 'openid'],
    ['anonymous', 'id'],
    ['weibo', 'uid'],
    ['lc_apple', 'uid'],
    ['facebook', 'uid'],
    ['any other', 'uid'],
    ['constructor', 'uid'],
  ])('is read on %s from the member %s', (platform, member) => {
    const data = { openid: 'of openid', id: 'of id', uid: 'of uid' }
    expect(identityOf(platform, data)).toEqual({ platform, uid: `of ${member}` })
  })

  it.each([
    ['weixinapp', { openid: 'o' }, ['o']],
    ['weixin_mini_app', { openid: 'o', uid: 'u' }, ['u', 'o']],
    ['weibo', { uid: 'u', openid: 'o' }, ['u', 'o']],
    ['weixin', { uid: 'u', openid: 'o' }, ['o', 'u']],
    ['weixin', { uid: 'u' }, ['u']],
    ['test', { uid: 'same', openid: 'same' }, ['same']],
    ['test', { uid: null, openid: 'o' }, ['o']],
    ['test', { uid: '', openid: 'o' }, ['o']],
    ['anonymous', { id: 'i', uid: 'u', openid: 'o' }, ['i']],
  ])('on %s with %j is %j, the primary one first', (platform, data, uids) => {
    expect(uidsOf(platform, data)).toEqual(uids)
  })

  it.each([
    ['test', { id: 'i', access_token: 'a' }],
    ['weixin', { unionid: 'u' }],
    ['anonymous', { uid: 'u', openid: 'o' }],
  ])('is missing on %s in %j: error 250', (platform, data) => {
    expect(() => identityOf(platform, data)).toThrow(expect.objectContaining({ code: 250 }))
  })

  it('accepts a number as its text', () => {
    expect(uidsOf('weibo', { uid: 12345 })).toEqual(['12345'])
  })

  it('is removed when it belongs to another user', () => {
    const data = { uid: 'own', openid: 7, name: '7' }
    expect(withoutUids('test', data, new Set(['7']))).toEqual({ uid: 'own', name: '7' })
  })

  it.each([[''], [null], [true], [{}], [['u']], ['x'.repeat(513)], ['nul\u0000'], ['half \ud800']])(
    'is never %j',
    (uid) => {
      expect(uidsOf('github', { uid })).toEqual([])
    },
  )

  it('is not read from the prototype', () => {
    expect(uidsOf('github', JSON.parse('{"__proto__":{"uid":"u"}}'))).toEqual([])
  })
})

describe("the union account of a platform's data", () => {
  it('is in the space named by the data', () => {
    expect(unionOf({ unionid: 'u', platform: 'weixin' })).toEqual({ platform: '_weixin_unionid', uid: 'u' })
  })

  it.each([
    [{}],
    [{ unionid: 'u' }],
    [{ platform: 'weixin' }],
    [{ unionid: '', platform: 'weixin' }],
    [{ unionid: {}, platform: 'weixin' }],
    [{ unionid: 'u', platform: 'wei xin' }],
    [{ unionid: 'u', platform: '_weixin' }],
    [{ unionid: 'u', platform: 5 }],
  ])('is null for %j', (data) => {
    expect(unionOf(data)).toBe(null)
  })

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [null, false],
  ])('leads to the user from now on if main_account is true or its text: %j', (main_account, expected) => {
    expect(isMainAccount({ main_account })).toBe(expected)
  })

  it('does not lead to another user without main_account', () => {
    expect(isMainAccount({})).toBe(false)
  })
})
