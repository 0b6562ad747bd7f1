import { expect, it, onTestFinished } from 'vitest'
import { localDirectory } from '../../src/bus/local-directory.ts'
import { number } from '../../src/database/decode-row.ts'
import { sql } from '../../src/database/sql.ts'
import { MASTER } from '../../src/objects/access/caller.ts'
import { createObject } from '../../src/objects/writing/create.ts'
import type { Session } from '../../src/realtime/session.ts'
import { executionRecorder } from '../support/executed-files.ts'
import { makeMessaging } from '../support/messaging.ts'
import { serveApps } from '../support/messaging-server.ts'
import { connect } from '../support/raw-connection.ts'
import { namedFiles, readWalks } from '../support/walks.ts'

/** Files that a chat message may pass from the socket to its row and its receivers, besides what all commands pass. */
const MAX_FILES = 18

const { running, database, messaging } = await makeMessaging({ alone: true })
const { appId } = messaging
const app = (await running.open(appId))!
const { url } = await serveApps({ running, directory: localDirectory() })

it('a chat message passes the files that the architecture page lists, and no more than 18', async () => {
  const [ann, bob] = [await connect({ url, appId }), await connect({ url, appId })]
  await ann.open('ann')
  await bob.open('bob')
  // What is unread is counted after the response to a login.
  const sessions = app.messaging.presence.sessions() as Session[]
  await expect.poll(() => sessions.map(({ unread }) => unread?.isCounting)).toEqual([false, false])
  const { id: cid } = await createObject(app.objects, '_Conversation', { m: ['ann', 'bob'] }, MASTER)
  const send = async () => {
    const response = await ann.request({ cmd: 'direct', peerId: 'ann', directMessage: { cid, msg: 'hello' } })
    expect(response).toMatchObject({ cmd: 'ack', ackMessage: { uid: expect.any(String) } })
    await bob.take(({ cmd }) => cmd === 'direct')
  }
  /** What every command and every statement passes: a command that is refused, one without an effect, and a statement with a row. */
  const doNothing = async () => {
    await ann.request({ cmd: 'conv', op: 'status', peerId: 'ann' })
    await ann.request({ cmd: 'report', op: 'upload', peerId: 'ann' })
    const [row] = await database.query(sql`SELECT 1 AS one`)
    number('one')(row!)
  }
  await send()
  await doNothing()

  const recorder = await executionRecorder()
  onTestFinished(() => recorder.end())
  const shared = await recorder.filesOf(doNothing)
  const passed = (await recorder.filesOf(send)).filter((file) => !shared.includes(file))

  expect(passed).toEqual(namedFiles(readWalks().get('A chat message')!).sort())
  expect(passed.length).toBeLessThanOrEqual(MAX_FILES)
  // Otherwise nothing was recorded.
  expect(shared).toEqual(expect.arrayContaining(['database/pool.ts', 'realtime/connection.ts', 'realtime/dispatch.ts']))
})
