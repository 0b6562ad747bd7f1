import AV from 'leancloud-storage'
import { PNG } from 'pngjs'
import { beforeEach, describe, expect, it } from 'vitest'
import { connectPhones } from '../support/phones.ts'
import { makeSdkApp } from '../support/sdk.ts'

const app = await makeSdkApp()
const phones = await connectPhones(app)

let names = 0

beforeEach(() => AV.User.logOut())

/** Registers a user with a number, and logs it out. */
async function register(number = phones.newNumber()) {
  const username = `user${++names}`
  const user = new AV.User()
  await user.signUp({ username, password: 'secret', mobilePhoneNumber: number })
  await AV.User.logOut()
  return { id: user.id!, username, number }
}

const refused = (code: number) => expect.objectContaining({ code })

describe('AV.Cloud', () => {
  it('requestSmsCode sends a code, which verifySmsCode accepts once', async () => {
    const number = phones.newNumber()
    await AV.Cloud.requestSmsCode(number)
    const code = phones.codeOf(number)
    await AV.Cloud.verifySmsCode(code, number)
    await expect(AV.Cloud.verifySmsCode(code, number)).rejects.toEqual(refused(603))
  })

  it('requestSmsCode with options passes them on', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const options = { mobilePhoneNumber, name: 'Notes', op: 'pay', ttl: 5, template: 'Order', sign: 'Shop' }
    await AV.Cloud.requestSmsCode(options)
    expect(phones.sentTo(mobilePhoneNumber)).toMatchObject([
      { ttlMinutes: 5, template: 'Order', sign: 'Shop', variables: { name: 'Notes', op: 'pay' } },
    ])
  })
})

describe('AV.User', () => {
  it('signUpOrlogInWithMobilePhone creates a user, and later finds it', async () => {
    const number = phones.newNumber()
    await AV.Cloud.requestSmsCode(number)
    const made = await AV.User.signUpOrlogInWithMobilePhone(number, phones.codeOf(number), { nickname: 'Ann' })
    expect(AV.User.current()!.id).toBe(made.id)
    expect(made.get('mobilePhoneVerified')).toBe(true)
    expect(made.get('nickname')).toBe('Ann')
    await made.save({ nickname: 'Anna' })
    await AV.User.logOut()
    await phones.wait(number, 60)
    await AV.Cloud.requestSmsCode(number)
    const found = await AV.User.signUpOrlogInWithMobilePhone(number, phones.codeOf(number))
    expect([found.id, found.get('nickname')]).toEqual([made.id, 'Anna'])
    const { body } = await app.request('GET', `/1.1/users/${made.id}`, { master: true })
    expect(body).not.toHaveProperty('smsCode')
  })

  it('logInWithMobilePhoneSmsCode logs in with a code of requestLoginSmsCode, and saves no code', async () => {
    const { id, number } = await register()
    await AV.User.requestLoginSmsCode(number)
    const user = await AV.User.logInWithMobilePhoneSmsCode(number, phones.codeOf(number))
    expect(user.id).toBe(id)
    await user.save({ nickname: 'Ann' })
    const { body } = await app.request('GET', `/1.1/users/${id}`, { master: true })
    expect(body).toMatchObject({ nickname: 'Ann' })
    expect(body).not.toHaveProperty('smsCode')
  })

  it('logInWithMobilePhone logs in with a password', async () => {
    const { id, number } = await register()
    expect((await AV.User.logInWithMobilePhone(number, 'secret')).id).toBe(id)
  })

  it('verifyMobilePhone accepts the code of the logged in user', async () => {
    const { username, number } = await register()
    const user = await AV.User.logIn(username, 'secret')
    await AV.User.requestMobilePhoneVerify(number)
    await expect(AV.User.verifyMobilePhone('000')).rejects.toEqual(refused(603))
    await AV.User.verifyMobilePhone(phones.codeOf(number))
    await user.fetch()
    expect(user.get('mobilePhoneVerified')).toBe(true)
  })

  it('verifyMobilePhone accepts the code alone without a logged in user', async () => {
    const { username, number } = await register()
    await AV.User.requestMobilePhoneVerify(number)
    await AV.User.verifyMobilePhone(phones.codeOf(number))
    expect((await AV.User.logIn(username, 'secret')).get('mobilePhoneVerified')).toBe(true)
  })

  it('resetPasswordBySmsCode sets a new password', async () => {
    const { id, username, number } = await register()
    await AV.User.requestPasswordResetBySmsCode(number)
    await AV.User.resetPasswordBySmsCode(phones.codeOf(number), 'another')
    await expect(AV.User.logIn(username, 'secret')).rejects.toEqual(refused(210))
    expect((await AV.User.logIn(username, 'another')).id).toBe(id)
  })

  it('changePhoneNumber gives the user another number', async () => {
    const { username } = await register()
    const user = await AV.User.logIn(username, 'secret')
    const next = phones.newNumber()
    await AV.User.requestChangePhoneNumber(next)
    await AV.User.changePhoneNumber(next, phones.codeOf(next))
    await user.fetch()
    expect([user.getMobilePhoneNumber(), user.get('mobilePhoneVerified')]).toEqual([next, true])
  })

  it('reports unknown and taken numbers', async () => {
    const nobody = phones.newNumber()
    await expect(AV.User.requestLoginSmsCode(nobody)).rejects.toEqual(refused(213))
    await expect(AV.User.requestMobilePhoneVerify(nobody)).rejects.toEqual(refused(213))
    await expect(AV.User.requestPasswordResetBySmsCode(nobody)).rejects.toEqual(refused(213))
    const [ann, bob] = [await register(), await register()]
    await AV.User.logIn(ann.username, 'secret')
    await expect(AV.User.requestChangePhoneNumber(bob.number)).rejects.toEqual(refused(214))
  })
})

describe('AV.Captcha', () => {
  it('is required before a text message when the app enables it', async () => {
    await app.admin('PATCH', '/settings', { sms: { requireCaptcha: true } })
    const number = phones.newNumber()
    await expect(AV.Cloud.requestSmsCode(number)).rejects.toEqual(refused(608))
    const captcha = await AV.Captcha.request({ width: 120, height: 40 })
    const picture = PNG.sync.read(Buffer.from(await (await fetch(captcha.url)).arrayBuffer()))
    expect([picture.width, picture.height]).toEqual([120, 40])
    const token = new URL(captcha.url).searchParams.get('token')
    const { rows } = await app.sql('SELECT text FROM "$captchas" WHERE token = $1', [token])
    await expect(captcha.verify('?')).rejects.toEqual(refused(1))
    await captcha.verify(rows[0].text)
    const { validateToken } = captcha
    await AV.Cloud.requestSmsCode(number, { validateToken })
    await AV.Cloud.verifySmsCode(phones.codeOf(number), number)
    await expect(AV.Cloud.requestSmsCode(number, { validateToken })).rejects.toEqual(refused(608))
  })
})
