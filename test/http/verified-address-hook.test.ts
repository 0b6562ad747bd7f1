import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'
import { linkIn } from '../support/mail-content.ts'
import { startMailingServer } from '../support/mailing-server.ts'

const server = await startMailingServer()
const app = await makeApp(server.url, server.adminToken)
await app.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
const code = `${NOTE} AV.Cloud.onVerified('email', (request) => note('email', request))`
const engine = await startEngine(app, code, afterAll)

it('onVerified runs once for a mail link, however often it is opened', async () => {
  const body = { username: 'ann', password: 'password', email: 'ann@example.org' }
  const { body: made } = await app.request('POST', '/1.1/users', { body })
  const link = linkIn((await server.mailsTo('ann@example.org'))[0]!)
  expect(notesOf(engine)).toEqual([])
  expect((await fetch(link)).status).toBe(200)
  expect((await fetch(link)).status).toBe(400)
  await expect.poll(() => notesOf(engine), PATIENTLY).toHaveLength(1)
  expect(notesOf(engine)[0]!.object).toMatchObject({ objectId: made.objectId, emailVerified: true, username: 'ann' })
})
