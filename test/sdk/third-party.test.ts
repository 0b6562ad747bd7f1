import AV from 'leancloud-storage'
import { afterEach, describe, expect, it } from 'vitest'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()
const UNION = { unionIdPlatform: 'weixin' }
const main = { ...UNION, asMainAccount: true }
const side = { ...UNION, asMainAccount: false }

const open = (openid: string, access_token = 'a token') => ({ openid, access_token, expires_in: 7200 })
const uid = (id: string, access_token = 'a token') => ({ uid: id, access_token })
const logIn = (authData: AV.AuthData, platform: string) => AV.User.loginWithAuthData(authData, platform)
const blind = (user: AV.User) => AV.Object.createWithoutData<AV.User>('_User', user.id!)
/** Returns the stored authData of a user. */
const authDataOf = async (user: AV.User) => (await blind(user).fetch({}, { useMasterKey: true })).get('authData')
const signUp = (username: string) => AV.User.signUp(username, `password of ${username}`)

afterEach(() => AV.User.logOut())

describe('a login with a third-party account', () => {
  const platforms: Record<string, (id: string) => AV.AuthData> = {
    weixin: open,
    qq: open,
    weibo: (id) => ({ ...uid(id), expiration_in: '36000' }),
    lc_apple: (id) => ({ ...uid(id), identity_token: 'i', code: 'c' }),
    'my-platform': uid,
  }

  it.each(Object.keys(platforms))('of %s creates a user the first time, and finds it again', async (platform) => {
    const data = platforms[platform]!('same id on all')
    const user = await logIn(data, platform)
    expect(AV.User.current()).toBe(user)
    expect(user.getUsername()).toMatch(/^[a-z0-9]{25}$/)
    expect(user.getSessionToken()).toMatch(/^[a-z0-9]{25}$/)
    expect(user.get('authData')).toEqual({ [platform]: data })
    const again = await logIn(data, platform)
    expect([again.id, again.getSessionToken()]).toEqual([user.id, user.getSessionToken()])
    expect(again.attributes).toEqual(user.attributes)
    expect(again.createdAt).toEqual(user.createdAt)
  })

  it('of two people creates two users, even with the same id on different platforms', async () => {
    const users = [
      await logIn(uid('one'), 'github'),
      await logIn(uid('two'), 'github'),
      await logIn(uid('one'), 'gitlab'),
    ]
    expect(new Set(users.map(({ id }) => id)).size).toBe(3)
  })

  it('replaces the stored account data', async () => {
    const user = await logIn(open('renewing', 'old'), 'weixin')
    const again = await logIn({ ...open('renewing', 'new'), scope: 'all' }, 'weixin')
    expect(again.get('authData').weixin).toEqual({ ...open('renewing', 'new'), scope: 'all' })
    expect(await authDataOf(user)).toEqual({ weixin: { ...open('renewing', 'new'), scope: 'all' } })
  })

  it('with failOnNotExist creates no user', async () => {
    const options = { failOnNotExist: true }
    const failing = AV.User.loginWithAuthData(uid('failing'), 'github', options)
    await expect(failing).rejects.toMatchObject({ code: 211 })
    expect(AV.User.current()).toBe(null)
    const user = await logIn(uid('failing'), 'github')
    expect((await AV.User.loginWithAuthData(uid('failing'), 'github', options)).id).toBe(user.id)
  })

  it('requires the platform user id: error 250', async () => {
    const data = { access_token: 'a token' } as AV.AuthData
    await expect(logIn(data, 'weixin')).rejects.toMatchObject({ code: 250 })
    await expect(logIn(data, 'github')).rejects.toMatchObject({ code: 250 })
  })

  it('of a new user with additional fields', async () => {
    const user = new AV.User()
    user.set('nick', 'Nick')
    await user.loginWithAuthData(uid('with fields'), 'github')
    expect((await logIn(uid('with fields'), 'github')).get('nick')).toBe('Nick')
  })
})

describe('a user', () => {
  it('links an account, logs in with it, and unlinks it', async () => {
    const user = await signUp('linking')
    await user.associateWithAuthData(open('linked'), 'weixin')
    await user.associateWithAuthData(uid('linked'), 'weibo')
    expect(user.get('authData')).toEqual({ weixin: open('linked'), weibo: uid('linked') })
    const again = await logIn(open('linked'), 'weixin')
    expect([again.id, again.getUsername()]).toEqual([user.id, 'linking'])
    await again.dissociateAuthData('weixin')
    expect(await authDataOf(user)).toEqual({ weibo: uid('linked') })
    expect((await logIn(uid('linked'), 'weibo')).id).toBe(user.id)
    expect((await logIn(open('linked'), 'weixin')).id).not.toBe(user.id)
  })

  it("cannot link another user's account: error 137", async () => {
    const owner = await logIn(uid('owned'), 'github')
    const other = await signUp('other')
    await expect(other.associateWithAuthData(uid('owned'), 'github')).rejects.toMatchObject({ code: 137 })
    expect(await authDataOf(other)).toBe(undefined)
    expect((await logIn(uid('owned'), 'github')).id).toBe(owner.id)
  })

  it('replaces an account of the same platform', async () => {
    const user = await signUp('switching')
    await user.associateWithAuthData({ ...uid('first'), scope: 'all' }, 'github')
    await user.associateWithAuthData(uid('second'), 'github')
    expect(await authDataOf(user)).toEqual({ github: uid('second') })
    expect((await logIn(uid('second'), 'github')).id).toBe(user.id)
    expect((await logIn(uid('first'), 'github')).id).not.toBe(user.id)
  })

  it('that is deleted releases its accounts', async () => {
    const user = await logIn(uid('freed'), 'github')
    await user.destroy()
    const next = await logIn(uid('freed'), 'github')
    expect(next.id).not.toBe(user.id)
  })
})

describe('an anonymous user', () => {
  it('logs in again with its id', async () => {
    const user = await AV.User.loginAnonymously()
    expect(user.isAnonymous()).toBe(true)
    const { id } = user.get('authData').anonymous
    expect((await logIn({ id }, 'anonymous')).id).toBe(user.id)
    expect((await AV.User.loginAnonymously()).id).not.toBe(user.id)
  })

  it('becomes an ordinary user by signing up', async () => {
    const user = await AV.User.loginAnonymously()
    const [id, token, data] = [user.id, user.getSessionToken(), user.get('authData').anonymous]
    await user.signUp({ username: 'named', password: 'a password' })
    expect([user.id, user.getSessionToken(), user.isAnonymous()]).toEqual([id, token, false])
    expect(await authDataOf(user)).toEqual({})
    const again = await AV.User.logIn('named', 'a password')
    expect([again.id, again.isAnonymous()]).toEqual([id, false])
    expect((await logIn(data, 'anonymous')).id).not.toBe(id)
  })

  it('becomes an ordinary user even if password changes require the old one: it has none', async () => {
    await app.admin('PATCH', '/settings', { accounts: { requireOldPassword: true } })
    const user = await AV.User.loginAnonymously()
    await user.signUp({ username: 'first password', password: 'a password' })
    expect((await AV.User.logIn('first password', 'a password')).id).toBe(user.id)
    await app.admin('PATCH', '/settings', { accounts: { requireOldPassword: false } })
  })

  it('becomes an ordinary user by linking a platform', async () => {
    const user = await AV.User.loginAnonymously()
    const [id, data] = [user.id, user.get('authData').anonymous]
    await user.associateWithAuthData(open('of an anonymous user'), 'weixin')
    expect([user.id, user.isAnonymous()]).toEqual([id, false])
    expect((await logIn(open('of an anonymous user'), 'weixin')).id).toBe(id)
    expect((await logIn(data, 'anonymous')).id).not.toBe(id)
  })

  it('stays anonymous when the requested name is taken', async () => {
    await signUp('wanted')
    const user = await AV.User.loginAnonymously()
    const data = user.get('authData').anonymous
    await expect(user.signUp({ username: 'wanted', password: 'a password' })).rejects.toMatchObject({ code: 202 })
    expect((await logIn(data, 'anonymous')).id).toBe(user.id)
  })
})

// protocol/accounts, authData
describe('a login with a union id', () => {
  const logInWithUnion = (data: AV.AuthData, platform: string, union: string, options: AV.UnionLoginOptions) =>
    AV.User.loginWithAuthDataAndUnionId(data, platform, union, options)

  it('as main account stores the union entry', async () => {
    const user = await logInWithUnion(open('main'), 'weixin', 'union of main', main)
    expect(user.get('authData')).toEqual({
      weixin: { ...open('main'), platform: 'weixin', unionid: 'union of main', main_account: true },
      _weixin_unionid: { uid: 'union of main' },
    })
  })

  it('of a known user logs it in and adds the account', async () => {
    const user = await logInWithUnion(open('of the app'), 'weixin', 'union of two', main)
    const page = uid('of the page')
    const joined = await logInWithUnion(page, 'wxminiprogram', 'union of two', side)
    expect([joined.id, joined.getSessionToken()]).toEqual([user.id, user.getSessionToken()])
    expect(Object.keys(joined.get('authData')).toSorted()).toEqual(['_weixin_unionid', 'weixin', 'wxminiprogram'])
    expect((await logIn(page, 'wxminiprogram')).id).toBe(user.id)
  })

  it('unknown to the server logs in by the account itself', async () => {
    const user = await logIn(open('without union'), 'weixin')
    const again = await logInWithUnion(open('without union'), 'weixin', 'union of nobody', side)
    expect([again.id, again.get('authData')._weixin_unionid]).toEqual([user.id, undefined])
  })

  it('unknown to the server creates a user without the union entry, unless as main account', async () => {
    const first = await logInWithUnion(open('aside'), 'weixin', 'union aside', side)
    expect(Object.keys(first.get('authData'))).toEqual(['weixin'])
    const second = await logInWithUnion(uid('aside'), 'wxminiprogram', 'union aside', side)
    expect(second.id).not.toBe(first.id)
  })

  it('as main account adds the union entry to a known user', async () => {
    const user = await logIn(open('known'), 'weixin')
    const again = await logInWithUnion(open('known'), 'weixin', 'union of known', main)
    expect([again.id, again.get('authData')._weixin_unionid]).toEqual([user.id, { uid: 'union of known' }])
    const other = await logInWithUnion(uid('known'), 'wxminiprogram', 'union of known', side)
    expect(other.id).toBe(user.id)
  })

  it('takes precedence over an account of another user', async () => {
    const ofUnion = await logInWithUnion(uid('union owner'), 'wxminiprogram', 'union disputed', main)
    const ofAccount = await logIn(open('account owner'), 'weixin')
    const user = await logInWithUnion(open('account owner'), 'weixin', 'union disputed', main)
    expect(user.id).toBe(ofUnion.id)
    expect(await authDataOf(ofAccount)).toEqual({ weixin: open('account owner') })
    expect((await logIn(open('account owner'), 'weixin')).id).toBe(ofAccount.id)
  })

  it('can be linked to a user that has signed up', async () => {
    const user = await signUp('uniting')
    await user.associateWithAuthDataAndUnionId(open('uniting'), 'weixin', 'union linked', main)
    const again = await logInWithUnion(uid('uniting'), 'wxminiprogram', 'union linked', side)
    expect([again.id, again.getUsername()]).toEqual([user.id, 'uniting'])
  })

  it('identifies no user once its last account is unlinked', async () => {
    const user = await logInWithUnion(open('forsaking'), 'weixin', 'union forsaken', main)
    await user.dissociateAuthData('weixin')
    expect(await authDataOf(user)).toEqual({})
    expect((await logInWithUnion(uid('forsaking'), 'wxminiprogram', 'union forsaken', side)).id).not.toBe(user.id)
  })

  it('identifies no user once another account replaces its account', async () => {
    const user = await logInWithUnion(open('replaced'), 'weixin', 'union replaced', main)
    await user.associateWithAuthData(open('replacing'), 'weixin')
    expect(await authDataOf(user)).toEqual({ weixin: open('replacing') })
    expect((await logInWithUnion(uid('replaced'), 'wxminiprogram', 'union replaced', side)).id).not.toBe(user.id)
  })
})
