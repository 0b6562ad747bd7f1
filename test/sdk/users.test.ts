import AV from 'leancloud-storage'
import { afterEach, describe, expect, it } from 'vitest'
import { makeSdkApp, save, stored } from '../support/sdk.ts'

const app = await makeSdkApp()
const master = { useMasterKey: true }
const FORBIDDEN = { code: 206, rawMessage: 'The user cannot be altered by a client without the session.' }

/** Members that the SDK has, but not its type declarations. */
interface WithPassword {
  updatePassword(oldPassword: string, newPassword: string, options?: AV.AuthOptions): Promise<unknown>
}

const passwordOf = (username: string) => `password of ${username}`

/** Registers a user, which becomes the current user. */
const signUp = (username: string, fields: object = {}) => AV.User.signUp(username, passwordOf(username), fields)
const logIn = (username: string) => AV.User.logIn(username, passwordOf(username))
const changePassword = (user: AV.User, oldPassword: string, newPassword: string) =>
  (user as AV.User & WithPassword).updatePassword(oldPassword, newPassword)
const as = (user: AV.User) => ({ sessionToken: user.getSessionToken() })
const blind = (user: AV.User) => AV.Object.createWithoutData<AV.User>('_User', user.id!)
const setAccounts = (accounts: object) => app.admin('PATCH', '/settings', { accounts })

afterEach(() => AV.User.logOut())

describe('signing up', () => {
  it('creates the current user, with a session token and without a password', async () => {
    const user = await signUp('ann', { nick: 'Annie', email: 'ann@example.org' })
    expect(AV.User.current()).toBe(user)
    expect(user.getSessionToken()).toMatch(/^[a-z0-9]{25}$/)
    expect(user.attributes).toEqual({
      username: 'ann',
      nick: 'Annie',
      email: 'ann@example.org',
      emailVerified: null,
      mobilePhoneVerified: false,
    })
    expect(user.createdAt).toEqual(user.updatedAt)
  })

  it('rejects a name, address or number of another user', async () => {
    await signUp('taken', { email: 'taken@example.org', mobilePhoneNumber: '13800000001' })
    await expect(signUp('taken')).rejects.toMatchObject({ code: 202 })
    await expect(signUp('other', { email: 'taken@example.org' })).rejects.toMatchObject({ code: 203 })
    await expect(signUp('other', { mobilePhoneNumber: '+8613800000001' })).rejects.toMatchObject({ code: 214 })
    const other = await signUp('Taken', { email: 'Taken@example.org' })
    expect(other.getUsername()).toBe('Taken')
  })

  it('is what saving a new user does', async () => {
    const user = new AV.User()
    user.setUsername('saved')
    user.setPassword(passwordOf('saved'))
    await user.save()
    expect((await logIn('saved')).id).toBe(user.id)
  })
})

describe('logging in', async () => {
  const known = await signUp('known', { email: 'known@example.org', mobilePhoneNumber: '+4915100000001', nick: 'K' })
  const ways: Record<string, (password: string) => Promise<AV.User>> = {
    'a name': (password) => AV.User.logIn('known', password),
    'an address': (password) => AV.User.loginWithEmail('known@example.org', password),
    'a phone number': (password) => AV.User.logInWithMobilePhone('+4915100000001', password),
  }

  it.each(Object.keys(ways))('by %s returns all fields and the same token as before', async (way) => {
    const user = await ways[way]!(passwordOf('known'))
    expect(AV.User.current()).toBe(user)
    expect([user.id, user.getSessionToken()]).toEqual([known.id, known.getSessionToken()])
    expect(user.attributes).toEqual(known.attributes)
    expect(user.createdAt).toEqual(known.createdAt)
  })

  it.each(Object.keys(ways))('by %s requires the right password', async (way) => {
    await expect(ways[way]!('wrong')).rejects.toMatchObject({ code: 210 })
    expect(AV.User.current()).toBe(null)
  })

  it('as an unknown user fails', async () => {
    await expect(logIn('nobody')).rejects.toMatchObject({ code: 211 })
    await expect(AV.User.loginWithEmail('nobody@example.org', 'x')).rejects.toMatchObject({ code: 211 })
    await expect(AV.User.logInWithMobilePhone('13899999999', 'x')).rejects.toMatchObject({ code: 213 })
  })
})

describe('a session', () => {
  it('can be adopted by its token', async () => {
    const made = await signUp('becoming', { nick: 'B' })
    await AV.User.logOut()
    const user = await AV.User.become(made.getSessionToken())
    expect(AV.User.current()).toBe(user)
    expect(user.attributes).toEqual(made.attributes)
    expect(user.getSessionToken()).toBe(made.getSessionToken())
    await expect(AV.User.become('nobodystokennobodystoken0')).rejects.toMatchObject({ code: 211 })
  })

  it('is sent with every request of the current user', async () => {
    const user = await signUp('current')
    const note = new AV.Object('Note')
    note.setACL(new AV.ACL(user))
    await note.save()
    expect((await stored(note)).id).toBe(note.id)
    await AV.User.logOut()
    await expect(stored(note)).rejects.toMatchObject({ code: 403 })
  })

  it('has a new token after a refresh, and the old one is invalid', async () => {
    const user = await signUp('refreshing', { nick: 'R' })
    const before = user.getSessionToken()
    await user.refreshSessionToken()
    expect(user.getSessionToken()).toMatch(/^[a-z0-9]{25}$/)
    expect(user.getSessionToken()).not.toBe(before)
    expect(user.get('nick')).toBe('R')
    await expect(AV.User.become(before)).rejects.toMatchObject({ code: 211 })
    await user.save({ nick: 'still me' })
    await expect(blind(user).save({ nick: 'x' }, { sessionToken: before })).rejects.toMatchObject(FORBIDDEN)
    expect(await user.isAuthenticated()).toBe(true)
  })

  it('can be refreshed only by its user and the master key', async () => {
    const user = await signUp('refreshed')
    const other = await signUp('refresher')
    await expect(blind(user).refreshSessionToken(as(other))).rejects.toMatchObject(FORBIDDEN)
    const refreshed = await blind(user).refreshSessionToken(master)
    expect(refreshed.getSessionToken()).not.toBe(user.getSessionToken())
    expect(await user.isAuthenticated()).toBe(false)
  })

  it('is reported valid or invalid', async () => {
    const user = await signUp('alive')
    expect(await user.isAuthenticated()).toBe(true)
    await app.request('PUT', `/1.1/users/${user.id}/refreshSessionToken`, { master: true })
    expect(await user.isAuthenticated()).toBe(false)
  })
})

describe('a password', () => {
  it('can be changed with the old one, keeping the token', async () => {
    const user = await signUp('changing')
    const token = user.getSessionToken()
    await changePassword(user, passwordOf('changing'), 'another')
    expect(user.getSessionToken()).toBe(token)
    await expect(logIn('changing')).rejects.toMatchObject({ code: 210 })
    expect((await AV.User.logIn('changing', 'another')).getSessionToken()).toBe(token)
  })

  it('that is changed returns a new token when the app enables it', async () => {
    await setAccounts({ reloginAfterPasswordChange: true })
    const user = await signUp('renewing')
    const token = user.getSessionToken()
    await changePassword(user, passwordOf('renewing'), 'another')
    const second = user.getSessionToken()
    expect(second).not.toBe(token)
    await expect(AV.User.become(token)).rejects.toMatchObject({ code: 211 })
    expect((await AV.User.become(second)).id).toBe(user.id)
    const self = AV.User.current()
    await self.save({ password: 'a third' })
    expect(self.getSessionToken()).not.toBe(second)
    expect((await AV.User.logIn('renewing', 'a third')).getSessionToken()).toBe(self.getSessionToken())
    await setAccounts({ reloginAfterPasswordChange: false })
  })

  it('is not changed with a wrong old one, or by another user', async () => {
    const user = await signUp('guarded')
    await expect(changePassword(user, 'wrong', 'another')).rejects.toMatchObject({ code: 210 })
    await signUp('thief')
    await expect(changePassword(blind(user), passwordOf('guarded'), 'another')).rejects.toMatchObject(FORBIDDEN)
    expect((await logIn('guarded')).id).toBe(user.id)
  })

  it('can be saved like a field, until the app requires the old one', async () => {
    const user = await signUp('saving')
    await user.save({ password: 'another' })
    expect(user.get('password')).toBe(undefined)
    await AV.User.logIn('saving', 'another')
    await setAccounts({ requireOldPassword: true })
    await expect(AV.User.current().save({ password: 'a third' })).rejects.toMatchObject({ code: 119 })
    await changePassword(AV.User.current(), 'another', 'a third')
    await blind(user).save({ password: 'by the master' }, master)
    expect((await AV.User.logIn('saving', 'by the master')).id).toBe(user.id)
    await setAccounts({ requireOldPassword: false })
  })
})

describe('a user', () => {
  it('changes its own fields, name and address, and is found by the new ones', async () => {
    const user = await signUp('before', { email: 'before@example.org', tags: ['a'], score: 1 })
    user.set('nick', 'Nick')
    user.add('tags', 'b')
    user.increment('score', 2)
    user.setUsername('after')
    user.setEmail('after@example.org')
    await user.save()
    const fetched = await blind(user).fetch()
    expect(fetched.attributes).toMatchObject({
      username: 'after',
      email: 'after@example.org',
      nick: 'Nick',
      tags: ['a', 'b'],
      score: 3,
      emailVerified: false,
    })
    expect((await AV.User.logIn('after', passwordOf('before'))).id).toBe(user.id)
    expect((await AV.User.loginWithEmail('after@example.org', passwordOf('before'))).id).toBe(user.id)
    await expect(logIn('before')).rejects.toMatchObject({ code: 211 })
    await signUp('before', { email: 'before@example.org' })
  })

  it('cannot take unique values of another user', async () => {
    await signUp('holder', { email: 'holder@example.org', mobilePhoneNumber: '13800000002' })
    const user = await signUp('wanting')
    await expect(user.save({ username: 'holder' })).rejects.toMatchObject({ code: 202 })
    await expect(blind(user).save({ email: 'holder@example.org' })).rejects.toMatchObject({ code: 203 })
    await expect(blind(user).save({ mobilePhoneNumber: '+8613800000002' })).rejects.toMatchObject({ code: 214 })
    expect((await blind(user).fetch()).attributes).toEqual({
      username: 'wanting',
      emailVerified: null,
      mobilePhoneVerified: false,
    })
  })

  it('is returned with the changes by fetchWhenSave', async () => {
    const user = await signUp('fetching', { score: 1 })
    await user.increment('score', 5).save(null, { fetchWhenSave: true })
    expect(user.get('score')).toBe(6)
    expect(user.get('password')).toBe(undefined)
    expect(await user.isAuthenticated()).toBe(true)
  })

  it('can be changed and deleted only by itself and the master key', async () => {
    const user = await signUp('owner')
    const other = await signUp('someone else')
    await AV.User.logOut()
    for (const who of [{}, as(other), { sessionToken: 'stale' }]) {
      await expect(blind(user).save({ nick: 'x' }, who)).rejects.toMatchObject(FORBIDDEN)
      await expect(blind(user).save({ password: 'x' }, who)).rejects.toMatchObject(FORBIDDEN)
      await expect(blind(user).destroy(who)).rejects.toMatchObject(FORBIDDEN)
    }
    await blind(user).save({ nick: 'mine' }, as(user))
    await blind(user).save({ rank: 1 }, master)
    expect((await blind(user).fetch()).attributes).toMatchObject({ username: 'owner', nick: 'mine', rank: 1 })
  })

  it('cannot be written by other users, whatever its ACL', async () => {
    const user = await signUp('generous')
    const other = await signUp('greedy')
    const acl = new AV.ACL()
    acl.setPublicReadAccess(true)
    acl.setPublicWriteAccess(true)
    acl.setWriteAccess(other, true)
    user.setACL(acl)
    await user.save(null, as(user))
    await expect(blind(user).save({ nick: 'x' }, as(other))).rejects.toMatchObject(FORBIDDEN)
  })

  it('can be read by the users in its ACL, and always by itself', async () => {
    const user = await signUp('private')
    user.setACL(new AV.ACL(user))
    await user.save()
    expect((await blind(user).fetch({}, as(user))).getUsername()).toBe('private')
    const other = await signUp('curious')
    await expect(blind(user).fetch({}, as(other))).rejects.toMatchObject({ code: 403 })
    expect((await AV.User.become(user.getSessionToken())).id).toBe(user.id)
  })

  it('that deletes itself is removed with its token, and releases its name', async () => {
    const user = await signUp('leaving', { email: 'leaving@example.org' })
    await user.destroy()
    await expect(AV.User.become(user.getSessionToken())).rejects.toMatchObject({ code: 211 })
    await expect(logIn('leaving')).rejects.toMatchObject({ code: 211 })
    await expect(blind(user).fetch({}, {})).rejects.toMatchObject({ code: 211 })
    const next = await signUp('leaving', { email: 'leaving@example.org' })
    expect(next.id).not.toBe(user.id)
  })
})

describe("another user's data", () => {
  it('contains all fields but the token, the password and the linked accounts', async () => {
    const user = await signUp('seen', { nick: 'S', email: 'seen@example.org' })
    await user.associateWithAuthData({ uid: 'seen', access_token: 'secret' }, 'github')
    const viewer = await signUp('viewer')
    const pointing = await save('Pointing', { to: blind(user) })
    const views = {
      fetched: await blind(user).fetch({}, as(viewer)),
      queried: await new AV.Query<AV.User>('_User').get(user.id!, as(viewer)),
      included: (await new AV.Query<AV.Object>('Pointing').include('to').get(pointing.id!, as(viewer))).get('to'),
    }
    for (const [way, view] of Object.entries(views)) {
      expect(view.attributes, way).toEqual({
        username: 'seen',
        nick: 'S',
        email: 'seen@example.org',
        emailVerified: null,
        mobilePhoneVerified: false,
      })
      expect(view.getSessionToken(), way).toBe(undefined)
    }
    const own = await blind(user).fetch({}, as(user))
    expect(own.get('authData').github).toEqual({ uid: 'seen', access_token: 'secret' })
    expect(own.getSessionToken()).toBe(undefined)
  })

  it('cannot be listed until the administrator allows it', async () => {
    await signUp('listed', { nick: 'L' })
    const query = () => new AV.Query<AV.User>('_User').equalTo('nick', 'L')
    const rawMessage = "Forbidden to find by class '_User' permissions."
    await expect(query().find()).rejects.toMatchObject({ code: 403, rawMessage })
    await expect(query().count()).rejects.toMatchObject({ code: 403, rawMessage })
    expect(await query().count(master)).toBe(1)
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'public' } })
    const [found] = await query().find({})
    expect(found!.getUsername()).toBe('listed')
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'master' } })
    await expect(query().find()).rejects.toMatchObject({ code: 403 })
  })

  it('is limited by the ACLs of ordinary objects', async () => {
    const ann = await signUp('acl ann')
    const bo = await signUp('acl bo')
    const stranger = await signUp('acl stranger')
    const letter = new AV.Object('Letter').set('text', 'hi')
    const acl = new AV.ACL(ann)
    acl.setReadAccess(bo, true)
    letter.setACL(acl)
    await letter.save(null, as(ann))
    const change = (who: AV.User) => AV.Object.createWithoutData('Letter', letter.id!).save({ text: 'ha' }, as(who))
    expect((await stored(letter, as(bo))).get('text')).toBe('hi')
    await expect(change(bo)).rejects.toMatchObject({ code: 403 })
    await expect(stored(letter, as(stranger))).rejects.toMatchObject({ code: 403 })
    await expect(change(stranger)).rejects.toMatchObject({ code: 403 })
    await change(ann)
    expect(await new AV.Query('Letter').count(as(stranger))).toBe(0)
    expect(await new AV.Query('Letter').count(as(bo))).toBe(1)
  })

  it('becomes visible through roles', async () => {
    const editor = await signUp('editor')
    const reader = await signUp('reader')
    const role = new AV.Role('Editors', new AV.ACL({ '*': { read: true } }))
    role.getUsers().add(editor)
    await role.save(null, master)
    const acl = new AV.ACL()
    acl.setPublicReadAccess(true)
    acl.setRoleWriteAccess('Editors', true)
    const page = new AV.Object('Page')
    page.setACL(acl)
    await page.save(null, master)
    await AV.Object.createWithoutData('Page', page.id!).save({ text: 'x' }, as(editor))
    await expect(AV.Object.createWithoutData('Page', page.id!).save({ text: 'y' }, as(reader))).rejects.toMatchObject({
      code: 403,
    })
    expect((await editor.getRoles()).map((held) => held.getName())).toEqual(['Editors'])
    expect(await reader.getRoles()).toEqual([])
  })
})
