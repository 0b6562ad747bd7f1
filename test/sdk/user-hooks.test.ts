import AV from 'leancloud-storage'
import { afterAll, afterEach, expect, it } from 'vitest'
import { startEngine } from '../support/engine-process.ts'
import { makeSdkApp } from '../support/sdk.ts'

await startEngine(
  await makeSdkApp(),
  `
  AV.Cloud.beforeSave('_User', ({ object }) => {
    if (/admin/.test(object.get('username'))) throw new AV.Cloud.Error('Name taken')
    object.set('nick', object.get('nick') || 'nobody')
  })
  AV.Cloud.beforeUpdate('_User', ({ object, currentUser }) => {
    if (object.updatedKeys.includes('email') && !currentUser) throw new AV.Cloud.Error('Nobody is logged in')
  })
  AV.Cloud.beforeDelete('_User', ({ object }) => {
    if (object.get('nick') === 'founder') throw new AV.Cloud.Error('Founders stay')
  })
  AV.Cloud.afterSave('_User', async ({ object }) => {
    await new AV.Object('Welcome').save({ to: object })
  })
  AV.Cloud.onLogin(async ({ object }) => {
    if (object.get('banned')) throw new AV.Cloud.Error('Banned')
    object.increment('visits')
    await object.save(null, { user: object })
  })
  AV.Cloud.onAuthData(({ authData }) => {
    if (!authData.acme) return
    if (authData.acme.code === 'wrong') throw new AV.Cloud.Error('No such code')
    return { acme: { uid: 'uid of ' + authData.acme.code, access_token: 'token' } }
  })
  `,
  afterAll,
)

afterEach(() => AV.User.logOut())

const password = 'password'
/** Returns third-party data that does not identify the user without onAuthData. */
const data = (code: string) => ({ uid: '', access_token: '', code })
const byCode = (code: string) => AV.User.loginWithAuthData(data(code), 'acme')

it('a sign-up can be rejected or completed, and runs the after hook', async () => {
  await expect(AV.User.signUp('admin 1', password)).rejects.toMatchObject({ code: 142 })
  const user = await AV.User.signUp('mia', password)
  expect((await AV.User.createWithoutData('User', user.id!).fetch()).get('nick')).toBe('nobody')
  const welcomes = new AV.Query('Welcome').equalTo('to', user)
  await expect.poll(() => welcomes.count(), { timeout: 60_000 }).toBe(1)
})

it('a login runs onLogin, which can act for the user or reject the login', async () => {
  await AV.User.signUp('leo', password)
  const user = await AV.User.logIn('leo', password)
  expect((await user.fetch()).get('visits')).toBe(1)
  await user.save({ banned: true })
  await AV.User.logOut()
  await expect(AV.User.logIn('leo', password)).rejects.toMatchObject({
    code: 142,
    rawMessage: expect.stringMatching(/Banned$/),
  })
  expect(AV.User.current()).toBeNull()
})

it('a user changes its address, and is deleted unless the hook rejects it', async () => {
  const user = await AV.User.signUp('ann', password)
  await user.save({ email: 'ann@example.org' })
  await AV.User.logOut()
  const stranger = AV.User.createWithoutData('User', user.id!)
  await expect(stranger.save({ email: 'b@example.org' }, { useMasterKey: true })).rejects.toMatchObject({ code: 142 })
  await AV.User.logIn('ann', password)
  await user.save({ nick: 'founder' })
  await expect(user.destroy()).rejects.toMatchObject({ code: 142 })
  await user.save({ nick: 'guest' })
  await user.destroy()
})

it('onAuthData replaces third-party data', async () => {
  await expect(byCode('wrong')).rejects.toMatchObject({ code: 142 })
  const user = await byCode('c1')
  expect(user.get('authData')).toEqual({ acme: { uid: 'uid of c1', access_token: 'token' } })
  await AV.User.logOut()
  expect((await byCode('c1')).id).toBe(user.id)
  const other = await AV.User.signUp('eve', password)
  await expect(other.associateWithAuthData(data('c1'), 'acme')).rejects.toMatchObject({ code: 137 })
})
