import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { readMail } from '../support/mail-content.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const BLOGGER = 'blogger@example.org'

const app = await makeApp()
const sink = await startSmtpSink()
afterAll(() => sink.stop())
const code = await readFile(new URL('./cloud-code/comment-mails.cjs', import.meta.url), 'utf8')
const engine = await startEngine(app, code, afterAll, {
  variables: { SMTP_URL: sink.url, BLOGGER, NODE_PATH: fileURLToPath(new URL('../../node_modules', import.meta.url)) },
})

/** Creates a comment as Valine does. */
const comment = (nick: string, words: string, answered?: { readonly rid: string; readonly pid: string }) =>
  app.request('POST', '/1.1/classes/Comment', {
    body: {
      nick,
      comment: words,
      mail: `${nick.toLowerCase()}@example.org`,
      link: '',
      url: '/post/',
      insertedAt: { __type: 'Date', iso: new Date().toISOString() },
      ACL: { '*': { read: true } },
      ...answered,
    },
  })
const stored = async (objectId: string) => (await app.request('GET', `/1.1/classes/Comment/${objectId}`)).body
const mailsTo = (address: string) =>
  sink.mails.filter(({ to }) => to === address).map(({ content }) => readMail(content).subject)

test('mails each comment to the blogger, and each reply to the author of the comment replied to', async () => {
  const { body: first } = await comment('Ann', 'First words')
  await expect.poll(() => stored(first.objectId)).toMatchObject({ isNotified: true, ip: expect.stringMatching(/\S/) })
  expect(mailsTo(BLOGGER)).toEqual(['Ann commented'])
  const { body: answer } = await comment('Bob', 'An answer', { rid: first.objectId, pid: first.objectId })
  await expect.poll(() => stored(answer.objectId)).toMatchObject({ isNotified: true })
  expect(mailsTo(BLOGGER)).toEqual(['Ann commented', 'Bob commented'])
  expect(mailsTo('ann@example.org')).toEqual(['Bob answered you'])
  // The ACL allows clients only to read.
  const { status } = await app.request('PUT', `/1.1/classes/Comment/${answer.objectId}`, {
    body: { comment: 'hacked' },
  })
  expect(status).toBe(403)
})

test('spam is flagged, excluded from lists and sends no mail', async () => {
  const before = sink.mails.length
  const { body } = await comment('Spammer', 'The best CASINO')
  await expect.poll(() => stored(body.objectId)).toMatchObject({ isSpam: true })
  const where = JSON.stringify({ url: '/post/', isSpam: { $ne: true } })
  const { body: listed } = await app.request('GET', '/1.1/classes/Comment', { query: { where } })
  expect(listed.results.map((one: { nick: string }) => one.nick)).not.toContain('Spammer')
  expect(sink.mails).toHaveLength(before)
})

test('saving inside an after hook triggers no further after hooks', async () => {
  const { body } = await comment('Cid', 'Words of Cid')
  await expect.poll(() => stored(body.objectId)).toMatchObject({ isNotified: true })
  // A change that does trigger the hook: its output proves that an earlier call would have been logged.
  await app.request('PUT', `/1.1/classes/Comment/${body.objectId}`, { master: true, body: { sticky: true } })
  await expect.poll(() => engine.output()).toContain('changed: sticky')
  expect(engine.output()).not.toContain('changed: isNotified')
})

test('an invalid comment is rejected with the error text of the hook', async () => {
  const error = 'Cloud Code validation failed. Error detail : A comment has words.'
  expect(await comment('Ann', '  ')).toMatchObject({ status: 400, body: { code: 142, error } })
  const where = JSON.stringify({ comment: '  ' })
  expect((await app.request('GET', '/1.1/classes/Comment', { query: { where } })).body.results).toEqual([])
})

test('the scheduled function resends mail that the mail server rejected', async () => {
  sink.refusals.push('451 not now')
  const { body } = await comment('Dan', 'Words of Dan')
  await expect.poll(() => sink.refusals).toEqual([])
  expect(mailsTo(BLOGGER)).not.toContain('Dan commented')
  await expect
    .poll(async () => (await app.request('POST', '/1.1/functions/resend', { master: true, body: {} })).body.result)
    .toBe(0)
  expect(await stored(body.objectId)).toMatchObject({ isNotified: true })
  expect(mailsTo(BLOGGER).filter((subject) => subject === 'Dan commented')).toHaveLength(1)
})
