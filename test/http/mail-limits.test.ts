import { describe, expect, it } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { startMailingServer } from '../support/mailing-server.ts'

const server = await startMailingServer()
const app = await appThatVerifies()

async function appThatVerifies(): Promise<TestApp> {
  const made = await makeApp(server.url, server.adminToken)
  await made.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
  return made
}

const signUp = (username: string, email = `${username}@example.org`, at = app) =>
  at.request('POST', '/1.1/users', { body: { username, password: 'secret', email } })
const request = (kind: 'requestEmailVerify' | 'requestPasswordReset', email: string, at = app) =>
  at.request('POST', `/1.1/${kind}`, { body: { email } })
const passAnHour = () => server.sql(`UPDATE homeport.links SET created_at = created_at - interval '1 hour'`)

const refusal = { status: 400, body: { code: 1, error: expect.stringMatching(/^Too many emails/) } }
const times = (count: number, work: () => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: count }, work))
const succeeded = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length

describe('an address receives ten mails of a kind per hour', () => {
  // The sign-up sends the first one.
  it.each([
    ['requestEmailVerify', 'busy', 9],
    ['requestPasswordReset', 'anxious', 10],
  ] as const)('%s: the next one is rejected until the hour has passed', async (kind, name, allowed) => {
    const email = `${name}@example.org`
    await signUp(name)
    for (let count = 0; count < allowed; count++) expect((await request(kind, email)).status).toBe(200)
    for (const _ of [1, 2]) expect(await request(kind, email)).toMatchObject(refusal)
    const sent = await server.mailsTo(email)
    await passAnHour()
    expect((await request(kind, email)).status).toBe(200)
    expect(await server.mailsTo(email)).toHaveLength(sent.length + 1)
  })

  it('30 concurrent requests send exactly ten', async () => {
    const email = 'stormy@example.org'
    await signUp('stormy')
    const answers = await times(30, () => request('requestPasswordReset', email))
    expect(succeeded(answers)).toBe(10)
    for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(refusal)
    expect(await server.mailsTo(email)).toHaveLength(1 + 10)
    // Mails of the other kind are counted separately.
    expect(succeeded(await times(30, () => request('requestEmailVerify', email)))).toBe(9)
    expect(await server.mailsTo(email)).toHaveLength(10 + 10)
  })

  it('whichever user it belongs to', async () => {
    const email = 'stranger@example.org'
    for (let count = 0; count < 10; count++) {
      const { status, body } = await signUp(`many-${count}`, email)
      expect(status).toBe(201)
      await app.request('DELETE', `/1.1/users/${body.objectId}`, { session: body.sessionToken })
    }
    expect(await signUp('one-too-many', email)).toMatchObject(refusal)
    expect(await server.mailsTo(email)).toHaveLength(10)
    // The rejected sign-up leaves the name and the address free.
    await passAnHour()
    expect((await signUp('one-too-many', email)).status).toBe(201)
  })

  it('also when it is changed back and forth, and a rejected change changes nothing', async () => {
    const { body: made } = await signUp('fickle')
    const update = (body: object) =>
      app.request('PUT', `/1.1/users/${made.objectId}`, { session: made.sessionToken, body })
    for (let count = 1; count < 10; count++) {
      for (const email of [null, 'fickle@example.org']) expect((await update({ email })).status).toBe(200)
    }
    expect((await update({ email: null })).status).toBe(200)
    expect(await update({ email: 'fickle@example.org', city: 'Graz' })).toMatchObject(refusal)
    const { body: user } = await app.request('GET', `/1.1/users/${made.objectId}`, { master: true })
    expect(user).not.toHaveProperty('email')
    expect(user).not.toHaveProperty('city')
    expect(await server.mailsTo('fickle@example.org')).toHaveLength(10)
  })

  it('from each app', async () => {
    const neighbour = await appThatVerifies()
    const email = 'shared@example.org'
    await signUp('shared')
    expect(succeeded(await times(12, () => request('requestPasswordReset', email)))).toBe(10)
    expect((await signUp('shared', email, neighbour)).status).toBe(201)
    expect((await request('requestPasswordReset', email, neighbour)).status).toBe(200)
  })
})
