import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'
import { connectPhones, refused, taken, wrong } from '../support/phones.ts'

const app = await makeApp()
const otherApp = await makeApp()
const phones = await connectPhones(app)

interface User {
  readonly id: string
  readonly session: string
  readonly username: string
  readonly number: string
}

type Options = Parameters<typeof app.request>[2]

const post = (path: string, body: object = {}, options: Options = {}) =>
  app.request('POST', `/1.1/${path}`, { body, ...options })
const otherPost = (path: string, body: object = {}) => otherApp.request('POST', `/1.1/${path}`, { body })
const put = (path: string, body: object = {}, options: Options = {}) =>
  app.request('PUT', `/1.1/${path}`, { body, ...options })
const set = (settings: object) => app.admin('PATCH', '/settings', settings)
const userAt = async (id: string) => (await app.request('GET', `/1.1/users/${id}`, { master: true })).body
const me = (session: string) => app.request('GET', '/1.1/users/me', { session })
const password = (username: string) => `password of ${username}`
const logIn = (username: string, secret = password(username)) => post('login', { username, password: secret })

let names = 0

async function makeUser(number = phones.newNumber()): Promise<User> {
  const username = `user${++names}`
  const body = { username, password: password(username), mobilePhoneNumber: number }
  const { objectId: id, sessionToken: session } = (await post('users', body)).body
  return { id, session, username, number }
}

const refusal = (code: number, error?: string, status = 400) => ({
  status,
  body: { code, error: error === undefined ? expect.any(String) : expect.stringContaining(error) },
})
const INVALID_CODE = refusal(603, 'Invalid SMS code.')
const NOTHING = { status: 200, body: {} }
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()

/** Requests a code, and reads it from the phone. */
async function codeFor(path: string, number: string, options: Options = {}): Promise<string> {
  expect(await post(path, { mobilePhoneNumber: number }, options)).toMatchObject(NOTHING)
  return phones.codeOf(number)
}

beforeEach(() => {
  phones.answer = taken
})

describe('requestSmsCode', () => {
  it('sends six digits, valid for 10 minutes', async () => {
    const number = phones.newNumber()
    await codeFor('requestSmsCode', number)
    expect(phones.sentTo(number)).toMatchObject([
      { kind: 'code', channel: 'sms', code: expect.stringMatching(/^\d{6}$/), ttlMinutes: 10, appName: 'test' },
    ])
  })

  it('treats a number without a country code as Chinese', async () => {
    const number = phones.newNumber()
    expect(await post('requestSmsCode', { mobilePhoneNumber: number.replace('+86', '') })).toMatchObject(NOTHING)
    expect(await post(`verifySmsCode/${phones.codeOf(number)}`, { mobilePhoneNumber: number })).toMatchObject(NOTHING)
  })

  it('passes on the message options', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const form = { smsType: 'voice', ttl: 5, template: 'Order', sign: 'Shop', op: 'pay', name: 'Notes', amount: 3 }
    expect(await post('requestSmsCode', { mobilePhoneNumber, ...form })).toMatchObject(NOTHING)
    expect(phones.sentTo(mobilePhoneNumber)).toMatchObject([
      {
        kind: 'code',
        channel: 'voice',
        ttlMinutes: 5,
        template: 'Order',
        sign: 'Shop',
        variables: { op: 'pay', name: 'Notes', amount: '3' },
      },
    ])
  })

  it.each([
    [{}, 212, 'The mobile phone number is missing'],
    [{ mobilePhoneNumber: '' }, 212, 'The mobile phone number is missing'],
    [{ mobilePhoneNumber: null }, 212, 'The mobile phone number is missing'],
    [{ mobilePhoneNumber: 'call me' }, 127, 'The mobile phone number was invalid'],
    [{ mobilePhoneNumber: 13800000000 }, 127, 'The mobile phone number was invalid'],
    [{ mobilePhoneNumber: '13800000000', ttl: 31 }, 1, "'ttl' must be"],
    [{ mobilePhoneNumber: '13800000000', smsType: 'mail' }, 1, "'smsType' must be"],
    [{ mobilePhoneNumber: '13800000000', op: {} }, 1, "'op' must be"],
  ])('with %j gets error %i', async (body, code, text) => {
    expect(await post('requestSmsCode', body)).toMatchObject(refusal(code, text))
  })

  it('with a notification template sends it, and no code', async () => {
    await set({ sms: { noticeTemplates: ['Shipped'] } })
    const mobilePhoneNumber = phones.newNumber()
    const body = { mobilePhoneNumber, template: 'Shipped', order: '42' }
    expect(await post('requestSmsCode', body)).toMatchObject(NOTHING)
    expect(phones.sentTo(mobilePhoneNumber)).toMatchObject([
      { kind: 'notice', code: null, template: 'Shipped', variables: { order: '42' } },
    ])
    const { rows } = await app.sql('SELECT code FROM "$sms_codes" WHERE phone = $1', [mobilePhoneNumber])
    expect(rows).toEqual([])
  })

  it('requires the master key when configured; requests for users do not', async () => {
    await set({ sms: { openToClients: false } })
    try {
      const mobilePhoneNumber = phones.newNumber()
      expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(119, 'sms.openToClients'))
      expect(phones.sentTo(mobilePhoneNumber)).toEqual([])
      expect(await post('requestSmsCode', { mobilePhoneNumber }, { master: true })).toMatchObject(NOTHING)
      await codeFor('requestLoginSmsCode', (await makeUser()).number)
    } finally {
      await set({ sms: { openToClients: true } })
    }
  })
})

describe('verifySmsCode', () => {
  it('accepts a code once', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestSmsCode', mobilePhoneNumber)
    expect(await post(`verifySmsCode/${code}`, { mobilePhoneNumber })).toMatchObject(NOTHING)
    expect(await post(`verifySmsCode/${code}`, { mobilePhoneNumber })).toMatchObject(INVALID_CODE)
  })

  it('rejects a wrong code, one of another number, and one for another purpose', async () => {
    const user = await makeUser()
    const code = await codeFor('requestSmsCode', user.number)
    const other = { mobilePhoneNumber: phones.newNumber() }
    expect(await post(`verifySmsCode/${wrong(code)}`, { mobilePhoneNumber: user.number })).toMatchObject(INVALID_CODE)
    expect(await post(`verifySmsCode/${code}`, other)).toMatchObject(INVALID_CODE)
    await phones.wait(user.number, 60)
    const login = await codeFor('requestLoginSmsCode', user.number)
    if (login !== code)
      expect(await post(`verifySmsCode/${login}`, { mobilePhoneNumber: user.number })).toMatchObject(INVALID_CODE)
    expect(await post(`verifySmsCode/${code}`, { mobilePhoneNumber: user.number })).toMatchObject(NOTHING)
  })

  it('requires the number', async () => {
    expect(await post('verifySmsCode/123456')).toMatchObject(refusal(212))
    expect(await post('verifySmsCode/123456', { mobilePhoneNumber: 'none' })).toMatchObject(refusal(127))
  })

  it('rejects a code that has expired, was replaced, or follows five wrong ones', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const verify = (code: string) => post(`verifySmsCode/${code}`, { mobilePhoneNumber })
    const first = await codeFor('requestSmsCode', mobilePhoneNumber)
    await phones.wait(mobilePhoneNumber, 60)
    const second = await codeFor('requestSmsCode', mobilePhoneNumber)
    if (first !== second) expect(await verify(first)).toMatchObject(INVALID_CODE)
    for (let tries = 0; tries < 5; tries++) await verify(wrong(second))
    expect(await verify(second)).toMatchObject(INVALID_CODE)
    await phones.wait(mobilePhoneNumber, 60)
    const third = await codeFor('requestSmsCode', mobilePhoneNumber)
    await app.sql(`UPDATE "$sms_codes" SET expires_at = now() - interval '1 second' WHERE phone = $1`, [
      mobilePhoneNumber,
    ])
    expect(await verify(third)).toMatchObject(INVALID_CODE)
  })
})

describe('a number receives', () => {
  const TOO_FAST = refusal(1, 'SMS request too fast(1 request per 10s).')

  it('one message in 10 seconds, whatever its purpose', async () => {
    const user = await makeUser()
    await codeFor('requestLoginSmsCode', user.number)
    for (const path of ['requestSmsCode', 'requestMobilePhoneVerify', 'requestPasswordResetBySmsCode']) {
      const spelled = { mobilePhoneNumber: user.number.replace('+86', '') }
      expect(await post(path, spelled, { master: true })).toMatchObject(TOO_FAST)
    }
    expect(phones.sentTo(user.number)).toHaveLength(1)
  })

  it('one message for concurrent requests', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const asks = Array.from({ length: 12 }, () => post('requestSmsCode', { mobilePhoneNumber }))
    expect(statuses(await Promise.all(asks))).toEqual([200, ...Array(11).fill(400)])
    expect(phones.sentTo(mobilePhoneNumber)).toHaveLength(1)
  })

  it('one message a minute, and 10 codes in 24 hours', async () => {
    const mobilePhoneNumber = phones.newNumber()
    for (let count = 0; count < 10; count++) {
      await codeFor('requestSmsCode', mobilePhoneNumber)
      await phones.wait(mobilePhoneNumber, 11)
      expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(601, 'one message a minute'))
      await phones.wait(mobilePhoneNumber, 50)
    }
    expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(601, '10 codes in 24 hours'))
    await phones.wait(mobilePhoneNumber, 24 * 60 * 60)
    await codeFor('requestSmsCode', mobilePhoneNumber)
    expect(phones.sentTo(mobilePhoneNumber)).toHaveLength(11)
  })

  it('3 calls an hour', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const call = () => post('requestSmsCode', { mobilePhoneNumber, smsType: 'voice' })
    for (let count = 0; count < 3; count++) {
      expect(await call()).toMatchObject(NOTHING)
      await phones.wait(mobilePhoneNumber, 61)
    }
    expect(await call()).toMatchObject(refusal(601, '3 calls an hour'))
  })

  it('no fewer messages of one app because of another', async () => {
    const mobilePhoneNumber = phones.newNumber()
    await codeFor('requestSmsCode', mobilePhoneNumber)
    expect(await otherPost('requestSmsCode', { mobilePhoneNumber })).toMatchObject(NOTHING)
  })
})

describe('a message rejected by the provider', () => {
  it('gets error 602, leaves no usable code, and is counted', async () => {
    const mobilePhoneNumber = phones.newNumber()
    phones.answer = refused
    expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(602, 'Fails to send message.'))
    const code = phones.codeOf(mobilePhoneNumber)
    expect(await post(`verifySmsCode/${code}`, { mobilePhoneNumber })).toMatchObject(INVALID_CODE)
    phones.answer = taken
    expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(1, 'SMS request too fast'))
  })

  it('blocks no other request while the provider is slow', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const reached = new Promise<() => void>((resolve) => {
      phones.answer = (response) => resolve(() => taken(response))
    })
    const first = post('requestSmsCode', { mobilePhoneNumber })
    const finish = await reached
    expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(1, 'SMS request too fast'))
    // Other test files send messages on this server, too.
    const { rows } = await app.sql(
      `SELECT query
       FROM pg_stat_activity
       WHERE state LIKE 'idle in transaction%' AND query LIKE '%' || $1 || '%' AND query LIKE '%$sms_%'`,
      [app.appId],
    )
    expect(rows).toEqual([])
    expect(await post(`verifySmsCode/${phones.codeOf(mobilePhoneNumber)}`, { mobilePhoneNumber })).toMatchObject(
      NOTHING,
    )
    finish()
    expect(await first).toMatchObject(NOTHING)
  })
})

describe('a test number', () => {
  const number = phones.newNumber()

  beforeEach(async () => {
    await set({ sms: { testNumbers: { [number.replace('+86', '')]: '135791' } } })
  })

  afterEach(() => set({ sms: { testNumbers: null } }))

  it('is sent nothing, and always has the same code', async () => {
    const mobilePhoneNumber = number
    for (let count = 0; count < 2; count++) {
      expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(NOTHING)
      expect(await post('requestSmsCode', { mobilePhoneNumber })).toMatchObject(refusal(1, 'SMS request too fast'))
      expect(await post('verifySmsCode/135792', { mobilePhoneNumber })).toMatchObject(INVALID_CODE)
      expect(await post('verifySmsCode/135791', { mobilePhoneNumber })).toMatchObject(NOTHING)
      expect(await post('verifySmsCode/135791', { mobilePhoneNumber })).toMatchObject(INVALID_CODE)
      await phones.wait(number, 60)
    }
    expect(phones.sentTo(number)).toEqual([])
  })
})

describe('code requests of users', () => {
  it.each(['requestMobilePhoneVerify', 'requestLoginSmsCode', 'requestPasswordResetBySmsCode'])(
    '%s gets error 213 for an unknown number, 212 without one, 127 for an invalid one',
    async (path) => {
      const mobilePhoneNumber = phones.newNumber()
      expect(await post(path, { mobilePhoneNumber })).toMatchObject(refusal(213))
      expect(phones.sentTo(mobilePhoneNumber)).toEqual([])
      expect(await post(path)).toMatchObject(refusal(212))
      expect(await post(path, { mobilePhoneNumber: 'none' })).toMatchObject(refusal(127))
    },
  )
})

describe('verifyMobilePhone', () => {
  const verified = async (user: User) => (await userAt(user.id)).mobilePhoneVerified

  it('verifies the number', async () => {
    const user = await makeUser()
    const code = await codeFor('requestMobilePhoneVerify', user.number)
    expect(await verified(user)).toBe(false)
    const answer = await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber: user.number.replace('+86', '') })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ objectId: user.id, updatedAt: (await userAt(user.id)).updatedAt })
    expect(await verified(user)).toBe(true)
    expect(await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber: user.number })).toMatchObject(INVALID_CODE)
  })

  it('does not require a number: uses that of the session user, else finds it by the code', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()]
    const [hers, his] = [
      await codeFor('requestMobilePhoneVerify', ann.number),
      await codeFor('requestMobilePhoneVerify', bob.number),
    ]
    expect(await app.request('POST', `/1.1/verifyMobilePhone/${his}`, { session: ann.session })).toMatchObject(
      INVALID_CODE,
    )
    expect([await verified(ann), await verified(bob)]).toEqual([false, false])
    expect(await app.request('POST', `/1.1/verifyMobilePhone/${hers}`, { session: ann.session })).toMatchObject({
      body: { objectId: ann.id },
    })
    expect(await app.request('POST', `/1.1/verifyMobilePhone/${his}`, { body: 'null' })).toMatchObject({
      body: { objectId: bob.id },
    })
    expect([await verified(ann), await verified(bob)]).toEqual([true, true])
  })

  it('for a verified number sends nothing', async () => {
    const user = await makeUser()
    await app.request('PUT', `/1.1/users/${user.id}`, { master: true, body: { mobilePhoneVerified: true } })
    expect(await post('requestMobilePhoneVerify', { mobilePhoneNumber: user.number })).toMatchObject(NOTHING)
    expect(phones.sentTo(user.number)).toEqual([])
  })

  it('fails for a number that the user no longer has', async () => {
    const user = await makeUser()
    const code = await codeFor('requestMobilePhoneVerify', user.number)
    const next = { mobilePhoneNumber: phones.newNumber() }
    expect((await put(`users/${user.id}`, next, { session: user.session })).status).toBe(200)
    expect(await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber: user.number })).toMatchObject(INVALID_CODE)
    expect(await post(`verifyMobilePhone/${code}`)).toMatchObject(INVALID_CODE)
    expect(await verified(user)).toBe(false)
  })

  it('rejects a code for another purpose', async () => {
    const user = await makeUser()
    const code = await codeFor('requestSmsCode', user.number)
    expect(await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber: user.number })).toMatchObject(INVALID_CODE)
    expect(await verified(user)).toBe(false)
  })

  it('slows down guessing without a number; another address uses its code at once', async () => {
    const at = (address: string) => ({ headers: { 'x-forwarded-for': address } })
    const user = await makeUser()
    const code = await codeFor('requestMobilePhoneVerify', user.number, at('192.0.2.1'))
    const guesses = Array.from({ length: 30 }, (_, n) => post(`verifyMobilePhone/${100_000 + n}`, {}, at('192.0.2.2')))
    const replies = await Promise.all(guesses)
    const refused = replies.filter(({ status }) => status === 429)
    expect(replies.filter(({ body }) => body.code === 603)).toHaveLength(30 - refused.length)
    expect(refused.length).toBeGreaterThanOrEqual(10)
    expect(refused[0]!.headers.get('retry-after')).toBe('10')
    expect(await post(`verifyMobilePhone/${code}`, {}, at('192.0.2.1'))).toMatchObject({ body: { objectId: user.id } })
  })
})

describe('a login with a code', () => {
  const byCode = (number: string, smsCode: string) => post('login', { mobilePhoneNumber: number, smsCode })

  it('requires no password, and stores nothing of the code', async () => {
    const user = await makeUser()
    const code = await codeFor('requestLoginSmsCode', user.number)
    const reply = await byCode(user.number, code)
    expect(reply).toMatchObject({ status: 200, body: { objectId: user.id, sessionToken: user.session } })
    expect(reply.body).not.toHaveProperty('smsCode')
    expect(reply.body.mobilePhoneVerified).toBe(false)
    expect(await byCode(user.number, code)).toMatchObject(INVALID_CODE)
  })

  it('also accepts a code that belongs to no user', async () => {
    const user = await makeUser()
    const code = await codeFor('requestSmsCode', user.number)
    expect(await byCode(user.number, code)).toMatchObject({ status: 200, body: { objectId: user.id } })
  })

  it('with wrong codes locks the user', async () => {
    const user = await makeUser()
    const code = await codeFor('requestLoginSmsCode', user.number)
    for (let tries = 0; tries < 6; tries++) expect(await byCode(user.number, wrong(code))).toMatchObject(INVALID_CODE)
    expect(await byCode(user.number, wrong(code))).toMatchObject(refusal(219))
    expect(await logIn(user.username)).toMatchObject(refusal(219))
  })

  it('gets no code for an unverified number when the app requires verification', async () => {
    const user = await makeUser()
    await set({ accounts: { requireVerifiedPhone: true } })
    try {
      expect(await post('requestLoginSmsCode', { mobilePhoneNumber: user.number })).toMatchObject(refusal(215))
      await app.request('PUT', `/1.1/users/${user.id}`, { master: true, body: { mobilePhoneVerified: true } })
      await codeFor('requestLoginSmsCode', user.number)
    } finally {
      await set({ accounts: { requireVerifiedPhone: false } })
    }
  })
})

describe('usersByMobilePhone', () => {
  it('creates a user at first, and logs it in later', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const first = await post('usersByMobilePhone', {
      mobilePhoneNumber,
      smsCode: await codeFor('requestSmsCode', mobilePhoneNumber),
      nickname: 'Ann',
    })
    expect(first).toMatchObject({
      status: 201,
      body: {
        username: mobilePhoneNumber,
        mobilePhoneNumber,
        mobilePhoneVerified: true,
        nickname: 'Ann',
        sessionToken: expect.stringMatching(/^[a-z0-9]{25}$/),
      },
    })
    const { objectId, sessionToken } = first.body
    expect(first.headers.get('location')).toBe(`/1.1/classes/_User/${objectId}`)
    expect(await me(sessionToken)).toMatchObject({ status: 200, body: { objectId } })
    await phones.wait(mobilePhoneNumber, 60)
    const second = await post('usersByMobilePhone', {
      mobilePhoneNumber: mobilePhoneNumber.replace('+86', ''),
      smsCode: await codeFor('requestLoginSmsCode', mobilePhoneNumber),
      nickname: 'Bob',
      password: 'ignored',
      email: 'no address',
    })
    expect(second).toMatchObject({ status: 200, body: { objectId, sessionToken, nickname: 'Ann' } })
    expect(await logIn(mobilePhoneNumber, 'ignored')).toMatchObject(refusal(210))
  })

  it('applies the sign-up fields to a new user', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const username = `user${++names}`
    const body = { mobilePhoneNumber, username, password: password(username), email: `${username}@example.org` }
    const smsCode = await codeFor('requestSmsCode', mobilePhoneNumber)
    const authData = { anonymous: { id: 'of-a-new-user' } }
    const reply = await post('usersByMobilePhone', { ...body, authData, smsCode })
    expect(reply).toMatchObject({ status: 201, body: { username, email: body.email, authData } })
    expect(await logIn(username)).toMatchObject({ status: 200, body: { objectId: reply.body.objectId } })
    expect(await post('users', { authData })).toMatchObject({ status: 200, body: { objectId: reply.body.objectId } })
  })

  it('never stores the code as a field', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const smsCode = await codeFor('requestSmsCode', mobilePhoneNumber)
    const { objectId, sessionToken: session } = (await post('usersByMobilePhone', { mobilePhoneNumber, smsCode })).body
    await put(`users/${objectId}`, { smsCode, n: 1 }, { session })
    await post('users', { username: `user${++names}`, password: 'abc', smsCode })
    await put(`users/${objectId}`, { 'smsCode.a': 1 }, { session })
    expect(await userAt(objectId)).not.toHaveProperty('smsCode')
    expect((await app.request('GET', '/1.1/schemas/_User', { master: true })).body).not.toHaveProperty('smsCode')
  })

  it('creates one user for two concurrent requests with one code', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const smsCode = await codeFor('requestSmsCode', mobilePhoneNumber)
    const replies = await Promise.all([1, 2, 3].map(() => post('usersByMobilePhone', { mobilePhoneNumber, smsCode })))
    expect(statuses(replies)).toEqual([201, 400, 400])
    expect(replies.filter(({ body }) => body.code === 603)).toHaveLength(2)
  })

  it('logs in two concurrent requests with two codes as one user', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const user = await makeUser(mobilePhoneNumber)
    const login = await codeFor('requestLoginSmsCode', mobilePhoneNumber)
    await app.request('DELETE', `/1.1/users/${user.id}`, { session: user.session })
    await phones.wait(mobilePhoneNumber, 60)
    const generic = await codeFor('requestSmsCode', mobilePhoneNumber)
    const replies = await Promise.all(
      [login, generic].map((smsCode) => post('usersByMobilePhone', { mobilePhoneNumber, smsCode })),
    )
    expect(statuses(replies)).toEqual([200, 201])
    expect(replies[0]!.body.objectId).toBe(replies[1]!.body.objectId)
  })

  it('keeps the code usable when the user cannot be created', async () => {
    const { username } = await makeUser()
    const mobilePhoneNumber = phones.newNumber()
    const smsCode = await codeFor('requestSmsCode', mobilePhoneNumber)
    expect(await post('usersByMobilePhone', { mobilePhoneNumber, smsCode, username })).toMatchObject(refusal(202))
    expect(await post('usersByMobilePhone', { mobilePhoneNumber, smsCode, email: 'none' })).toMatchObject(refusal(125))
    expect(await post('usersByMobilePhone', { mobilePhoneNumber, smsCode })).toMatchObject({ status: 201 })
  })

  it('picks another name when the number is taken as a name', async () => {
    const mobilePhoneNumber = phones.newNumber()
    await app.makeUser(mobilePhoneNumber)
    const smsCode = await codeFor('requestSmsCode', mobilePhoneNumber)
    const reply = await post('usersByMobilePhone', { mobilePhoneNumber, smsCode })
    expect(reply).toMatchObject({ status: 201, body: { username: expect.stringMatching(/^[a-z0-9]{25}$/) } })
  })

  it('rejects wrong codes, and locks the user after too many', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestSmsCode', mobilePhoneNumber)
    expect(await post('usersByMobilePhone', { mobilePhoneNumber, smsCode: wrong(code) })).toMatchObject(INVALID_CODE)
    const { number } = await makeUser()
    for (let tries = 0; tries < 6; tries++) {
      const body = { mobilePhoneNumber: number, smsCode: '123456' }
      expect(await post('usersByMobilePhone', body)).toMatchObject(INVALID_CODE)
    }
    expect(await post('usersByMobilePhone', { mobilePhoneNumber: number, smsCode: '123456' })).toMatchObject(
      refusal(219),
    )
  })

  it.each([
    [{ smsCode: '123456' }, 212, 'missing'],
    [{ mobilePhoneNumber: 'none', smsCode: '123456' }, 127, 'invalid'],
    [{ mobilePhoneNumber: '13800000000' }, 1, "'smsCode' must be a string"],
    [{ mobilePhoneNumber: '13800000000', smsCode: 123456 }, 1, "'smsCode' must be a string"],
  ])('with %j gets error %i', async (body, code, text) => {
    expect(await post('usersByMobilePhone', body)).toMatchObject(refusal(code, text))
  })
})

describe('resetPasswordBySmsCode', () => {
  it('sets a new password, revokes the session, and invalidates mail links', async () => {
    const user = await makeUser()
    const email = `${user.username}@example.org`
    await put(`users/${user.id}`, { email }, { session: user.session })
    await post('requestPasswordReset', { email })
    const code = await codeFor('requestPasswordResetBySmsCode', user.number)
    const body = { password: 'a new one', mobilePhoneNumber: user.number }
    expect(await put(`resetPasswordBySmsCode/${code}`, body)).toMatchObject(NOTHING)
    expect(await me(user.session)).toMatchObject(refusal(211))
    expect(await logIn(user.username)).toMatchObject(refusal(210))
    expect(await logIn(user.username, 'a new one')).toMatchObject({ status: 200, body: { mobilePhoneVerified: false } })
    const { rows } = await app.sql(
      "SELECT kind, expires_at <= now() AS dead FROM homeport.links WHERE app_id = $1 AND user_id = $2 AND kind = 'reset'",
      [app.appId, user.id],
    )
    expect(rows).toEqual([{ kind: 'reset', dead: true }])
    expect(await put(`resetPasswordBySmsCode/${code}`, body)).toMatchObject(INVALID_CODE)
  })

  it('does not require the number', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()]
    const code = await codeFor('requestPasswordResetBySmsCode', ann.number)
    await codeFor('requestPasswordResetBySmsCode', bob.number)
    expect(await put(`resetPasswordBySmsCode/${code}`, { password: 'a new one' })).toMatchObject(NOTHING)
    expect(await logIn(ann.username, 'a new one')).toMatchObject({ status: 200 })
    expect(await logIn(bob.username)).toMatchObject({ status: 200 })
  })

  it('does not lift a lock', async () => {
    const user = await makeUser()
    for (let tries = 0; tries < 7; tries++) await logIn(user.username, 'wrong')
    const code = await codeFor('requestPasswordResetBySmsCode', user.number)
    expect(await put(`resetPasswordBySmsCode/${code}`, { password: 'a new one' })).toMatchObject(NOTHING)
    expect(await logIn(user.username, 'a new one')).toMatchObject(refusal(219))
  })

  it('validates the password first, and keeps the code usable', async () => {
    const user = await makeUser()
    const code = await codeFor('requestPasswordResetBySmsCode', user.number)
    for (const none of [undefined, null, ''])
      expect(await put(`resetPasswordBySmsCode/${code}`, { password: none })).toMatchObject(refusal(201))
    for (const blank of ['  ', 1]) {
      expect(await put(`resetPasswordBySmsCode/${code}`, { password: blank })).toMatchObject(refusal(218))
    }
    const body = { password: 'a new one', mobilePhoneNumber: user.number }
    expect(await put(`resetPasswordBySmsCode/${wrong(code)}`, body)).toMatchObject(INVALID_CODE)
    expect(await put(`resetPasswordBySmsCode/${code}`, { ...body, mobilePhoneNumber: 'none' })).toMatchObject(
      refusal(127),
    )
    expect(await put(`resetPasswordBySmsCode/${code}`, body)).toMatchObject(NOTHING)
  })

  it('rejects a code for another purpose', async () => {
    const user = await makeUser()
    const code = await codeFor('requestLoginSmsCode', user.number)
    const body = { password: 'a new one', mobilePhoneNumber: user.number }
    expect(await put(`resetPasswordBySmsCode/${code}`, body)).toMatchObject(INVALID_CODE)
    expect(await put(`resetPasswordBySmsCode/${code}`, { password: 'a new one' })).toMatchObject(INVALID_CODE)
    expect(await logIn(user.username)).toMatchObject({ status: 200 })
  })
})

describe('changePhoneNumber', () => {
  const change = (user: User, number: string, code: string) =>
    post('changePhoneNumber', { mobilePhoneNumber: number, code }, { session: user.session })

  it('gives the user the number, verified', async () => {
    const user = await makeUser()
    const next = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', next, { session: user.session })
    expect(phones.sentTo(next)).toMatchObject([{ ttlMinutes: 6 }])
    expect((await userAt(user.id)).mobilePhoneNumber).toBe(user.number)
    expect(await change(user, next, code)).toMatchObject(NOTHING)
    expect(await userAt(user.id)).toMatchObject({ mobilePhoneNumber: next, mobilePhoneVerified: true })
    expect(await change(user, next, code)).toMatchObject(INVALID_CODE)
  })

  it('accepts the lifetime of a code', async () => {
    const { session } = await makeUser()
    const mobilePhoneNumber = phones.newNumber()
    expect(await post('requestChangePhoneNumber', { mobilePhoneNumber, ttl: 31 }, { session })).toMatchObject(
      refusal(1, "'ttl' must be"),
    )
    expect(await post('requestChangePhoneNumber', { mobilePhoneNumber, ttl: 20 }, { session })).toMatchObject(NOTHING)
    expect(phones.sentTo(mobilePhoneNumber)).toMatchObject([{ ttlMinutes: 20 }])
  })

  const WITHOUT_SESSION = [{}, { session: 'of-nobody' }, { master: true }]

  it('sends a code only to a user with a session', async () => {
    const mobilePhoneNumber = phones.newNumber()
    for (const caller of WITHOUT_SESSION)
      expect(await post('requestChangePhoneNumber', { mobilePhoneNumber }, caller)).toMatchObject(
        refusal(206, undefined, 403),
      )
    expect(phones.sentTo(mobilePhoneNumber)).toEqual([])
  })

  it('rejects a wrong code with 603, with or without a session', async () => {
    const { session } = await makeUser()
    const never = { mobilePhoneNumber: phones.newNumber(), code: '123456' }
    for (const caller of [...WITHOUT_SESSION, { session }])
      expect(await post('changePhoneNumber', never, caller)).toMatchObject(INVALID_CODE)
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', mobilePhoneNumber, { session })
    for (const caller of WITHOUT_SESSION)
      expect(await post('changePhoneNumber', { mobilePhoneNumber, code: wrong(code) }, caller)).toMatchObject(
        INVALID_CODE,
      )
  })

  it('rejects a right code without the session of its user, and keeps it valid', async () => {
    const user = await makeUser()
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', mobilePhoneNumber, { session: user.session })
    for (const caller of WITHOUT_SESSION)
      expect(await post('changePhoneNumber', { mobilePhoneNumber, code }, caller)).toMatchObject(
        refusal(206, undefined, 403),
      )
    expect((await userAt(user.id)).mobilePhoneNumber).toBe(user.number)
    expect(await change(user, mobilePhoneNumber, code)).toMatchObject(NOTHING)
  })

  it('allows five attempts per code, including those without a session', async () => {
    const user = await makeUser()
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', mobilePhoneNumber, { session: user.session })
    for (let tries = 0; tries < 5; tries++)
      expect(await post('changePhoneNumber', { mobilePhoneNumber, code: wrong(code) })).toMatchObject(INVALID_CODE)
    for (const caller of [{}, { session: user.session }])
      expect(await post('changePhoneNumber', { mobilePhoneNumber, code }, caller)).toMatchObject(INVALID_CODE)
  })

  it('is bound to the user and number of the code', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()]
    const next = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', next, { session: ann.session })
    expect(await change(bob, next, code)).toMatchObject(INVALID_CODE)
    expect(await change(ann, phones.newNumber(), code)).toMatchObject(INVALID_CODE)
    expect(await change(ann, next, wrong(code))).toMatchObject(INVALID_CODE)
    expect(await change(ann, next, code)).toMatchObject(NOTHING)
    expect((await userAt(bob.id)).mobilePhoneNumber).toBe(bob.number)
  })

  it('rejects the number of another user', async () => {
    const [ann, bob] = [await makeUser(), await makeUser()]
    const taken = { mobilePhoneNumber: bob.number }
    expect(await post('requestChangePhoneNumber', taken, { session: ann.session })).toMatchObject(refusal(214))
    expect(phones.sentTo(bob.number)).toEqual([])
    const next = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', next, { session: ann.session })
    await makeUser(next)
    expect(await change(ann, next, code)).toMatchObject(refusal(214))
    expect((await userAt(ann.id)).mobilePhoneNumber).toBe(ann.number)
  })

  it('verifies the current number of the user', async () => {
    const user = await makeUser()
    const code = await codeFor('requestChangePhoneNumber', user.number, { session: user.session })
    expect(await change(user, user.number, code)).toMatchObject(NOTHING)
    expect((await userAt(user.id)).mobilePhoneVerified).toBe(true)
  })

  it.each([
    [{}, 212, 'missing'],
    [{ mobilePhoneNumber: 'none', code: '123456' }, 127, 'invalid'],
    [{ mobilePhoneNumber: '13800000000' }, 1, "'code' must be a string"],
  ])('with %j gets error %i, with or without a session', async (body, code, text) => {
    const { session } = await makeUser()
    for (const caller of [{}, { session }])
      expect(await post('changePhoneNumber', body, caller)).toMatchObject(refusal(code, text))
  })
})

describe('an anonymous user', () => {
  let devices = 0
  const makeAnonymous = async (fields: object = {}) => {
    const authData = { anonymous: { id: `device ${++devices}` } }
    const { objectId: id, sessionToken: session } = (await post('users', { authData, ...fields })).body
    return { id, session, authData }
  }

  it('that verifies a number is no longer anonymous and can log in with it', async () => {
    const { id, session, authData } = await makeAnonymous()
    const mobilePhoneNumber = phones.newNumber()
    await put(`users/${id}`, { mobilePhoneNumber }, { session })
    expect((await post('users', { authData })).body.objectId).toBe(id)
    const code = await codeFor('requestMobilePhoneVerify', mobilePhoneNumber)
    const answer = await post(`verifyMobilePhone/${code}`, { mobilePhoneNumber })
    expect(answer.body).toEqual({ objectId: id, updatedAt: expect.any(String) })
    expect((await userAt(id)).authData).toEqual({})
    expect(await post('users', { authData })).toMatchObject({ status: 201 })
  })

  it('that changes to a number is no longer anonymous', async () => {
    const { id, session, authData } = await makeAnonymous()
    const mobilePhoneNumber = phones.newNumber()
    const code = await codeFor('requestChangePhoneNumber', mobilePhoneNumber, { session })
    expect(await post('changePhoneNumber', { mobilePhoneNumber, code }, { session })).toMatchObject(NOTHING)
    expect(await userAt(id)).toMatchObject({ authData: {}, mobilePhoneNumber, mobilePhoneVerified: true })
    expect(await post('users', { authData })).toMatchObject({ status: 201 })
  })

  it('that gets its first password by a code is no longer anonymous', async () => {
    const mobilePhoneNumber = phones.newNumber()
    const { id, authData } = await makeAnonymous({ mobilePhoneNumber })
    const code = await codeFor('requestPasswordResetBySmsCode', mobilePhoneNumber)
    expect(await put(`resetPasswordBySmsCode/${code}`, { password: 'first', mobilePhoneNumber })).toMatchObject(NOTHING)
    expect((await userAt(id)).authData).toEqual({})
    expect(await post('users', { authData })).toMatchObject({ status: 201 })
  })
})

it('reports of failures contain neither codes nor numbers', async () => {
  const mobilePhoneNumber = phones.newNumber()
  phones.answer = refused
  const { error } = (await post('requestSmsCode', { mobilePhoneNumber })).body
  expect(error).not.toContain(phones.codeOf(mobilePhoneNumber))
  expect(error).not.toContain(mobilePhoneNumber.slice(-9))
})
