import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { makePeople, type Person, writeFollows } from '../support/social.ts'
import { recordsIn, runFor, scratchFolder } from './exported-app.ts'

const rest = async (of: TestApp, by: Person, method: string, path: string, more: object = {}) => {
  const reply = await of.request(method, path, { session: by.session, ...more })
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  return reply.body
}

/** Reads texts with their numbers and the unread count, by kind of inbox. */
async function inboxesOf(of: TestApp, by: Person, types: readonly string[]) {
  return Promise.all(
    types.map(async (inboxType) => {
      const query = { inboxType }
      const { results } = await rest(of, by, 'GET', '/1.1/subscribe/statuses', { query })
      return {
        statuses: results.map(({ text, messageId }: { text: string; messageId: number }) => [messageId, text]),
        counts: await rest(of, by, 'GET', '/1.1/subscribe/statuses/count', { query }),
      }
    }),
  )
}

test('inboxes in another app keep unread statuses and removals', {
  timeout: 120_000,
}, async () => {
  const [app, other] = [await makeApp(), await makeApp()]
  const [ann, bo] = await makePeople(app, 'ann', 'bo')
  await writeFollows(app, ann.id, [bo.id])
  const followers = { className: '_Follower', where: { user: ann.pointer }, keys: 'follower' }
  const tell = (text: string, more: object = {}) =>
    rest(app, ann, 'POST', '/1.1/statuses', { body: { query: followers, data: { text }, ...more } })
  for (const text of ['one', 'two', 'three']) await tell(text)
  await rest(app, bo, 'POST', '/1.1/subscribe/statuses/resetUnreadCount', { query: {} })
  for (const text of ['four', 'five']) await tell(text)
  await tell('offer', { inboxType: 'offers' })
  const [inbox] = await inboxesOf(app, bo, ['default'])
  const taken = inbox!.statuses.find(([, text]: [number, string]) => text === 'two')[0]
  const owner = JSON.stringify(bo.pointer)
  await rest(app, bo, 'DELETE', '/1.1/subscribe/statuses/inbox', {
    query: { owner, messageId: String(taken), inboxType: 'default' },
  })
  const types = ['default', 'offers', 'private']
  const before = await inboxesOf(app, bo, types)
  expect(before.map(({ counts }) => counts)).toEqual([
    { total: 4, unread: 2 },
    { total: 1, unread: 1 },
    { total: 0, unread: 0 },
  ])

  const folder = scratchFolder()
  expect((await runFor(app, 'export', '--to', `${folder}/out`)).code).toBe(0)
  const into = await runFor(other, 'import', '--report', `${folder}/report`, `${folder}/out`)
  expect(into.code, `${into.stdout}${into.stderr}`).toBe(0)
  expect(await inboxesOf(other, bo, types)).toEqual(before)

  // The next status continues the numbering, and existing ones stay.
  await rest(other, ann, 'POST', '/1.1/statuses', { body: { query: followers, data: { text: 'six' } } })
  const [after] = await inboxesOf(other, bo, ['default'])
  expect(after!.statuses[0]).toEqual([before[0]!.statuses[0][0] + 1, 'six'])
  expect(after!.counts).toEqual({ total: 5, unread: 3 })
  const again = await runFor(other, 'import', '--again', '--report', `${folder}/again`, `${folder}/out`)
  expect(again.code).toBe(0)
  expect(await inboxesOf(other, bo, ['default'])).toEqual([after])

  const [line] = await recordsIn(`${folder}/out`, 'social-inboxes.0.jsonl')
  const wrong = { ...line, readId: line.lastId + 1 }
  await writeFile(`${folder}/wrong.jsonl`, `#filetype:JSON-streaming {"type":"Inboxes"}\n${JSON.stringify(wrong)}\n`)
  expect((await runFor(other, 'import', '--report', `${folder}/wrong`, `${folder}/wrong.jsonl`)).code).not.toBe(0)
  expect(await recordsIn(`${folder}/wrong`, 'rejected.jsonl')).toMatchObject([
    { className: 'social-inboxes', reason: expect.stringContaining("'readId' must contain whole numbers from 0 to") },
  ])
})
