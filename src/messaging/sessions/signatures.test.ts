import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import {
  checkBlacklistSignature,
  checkHistorySignature,
  checkMemberSignature,
  checkSessionSignature,
  checkStartSignature,
  type Signature,
  signLogin,
} from './signatures.ts'

const { messaging, database, configure } = await makeMessaging()
const { appId } = messaging

const on = { sessionSignature: true, conversationSignature: true, historySignature: true }
const off = { sessionSignature: false, conversationSignature: false, historySignature: false }
const bogus: Signature = { timestamp: 1, nonce: 'x', text: 'bogus' }
const now = Date.now()

afterEach(() => configure(off))

const hmac = (text: string) => createHmac('sha1', 'the master key of the tests').update(text).digest('hex')
const signed = (text: string, timestamp = now): Signature => ({ timestamp, nonce: 'nonce', text: hmac(text) })

/** Each operation with the text that its back end signs, and its error code. */
const operations: [
  name: string,
  code: number,
  text: (time: number) => string,
  check: (signature: Signature | null) => unknown,
][] = [
  [
    'opening a session',
    4102,
    (time) => `${appId}:tom::${time}:nonce`,
    (signature) => checkSessionSignature(messaging, 'tom', signature),
  ],
  [
    'making a conversation',
    4302,
    (time) => `${appId}:tom:Zed:jerry:spike:${time}:nonce`,
    (signature) => checkStartSignature(messaging, 'tom', ['spike', 'jerry', 'Zed'], signature),
  ],
  [
    'making a conversation without others',
    4302,
    (time) => `${appId}:tom::${time}:nonce`,
    (signature) => checkStartSignature(messaging, 'tom', [], signature),
  ],
  [
    'adding members',
    4302,
    (time) => `${appId}:tom:conv:jerry:spike:${time}:nonce:invite`,
    (signature) => checkMemberSignature(messaging, 'tom', 'conv', 'invite', ['spike', 'jerry'], signature),
  ],
  [
    'joining',
    4302,
    (time) => `${appId}:tom:conv:tom:${time}:nonce:invite`,
    (signature) => checkMemberSignature(messaging, 'tom', 'conv', 'invite', ['tom'], signature),
  ],
  [
    'removing members',
    4302,
    (time) => `${appId}:tom:conv:jerry:tom:${time}:nonce:kick`,
    (signature) => checkMemberSignature(messaging, 'tom', 'conv', 'kick', ['tom', 'jerry'], signature),
  ],
  [
    'blocking clients',
    4546,
    (time) => `${appId}:tom:conv:jerry:spike:${time}:nonce:conversation-block-clients`,
    (signature) =>
      checkBlacklistSignature(messaging, 'tom', 'conv', 'conversation-block-clients', ['spike', 'jerry'], signature),
  ],
  [
    'letting clients in again',
    4546,
    (time) => `${appId}:tom:conv:jerry:${time}:nonce:conversation-unblock-clients`,
    (signature) =>
      checkBlacklistSignature(messaging, 'tom', 'conv', 'conversation-unblock-clients', ['jerry'], signature),
  ],
  [
    'blocking a conversation',
    4546,
    (time) => `${appId}:tom:conv::${time}:nonce:client-block-conversations`,
    (signature) => checkBlacklistSignature(messaging, 'tom', 'conv', 'client-block-conversations', [], signature),
  ],
  [
    'letting a conversation in again',
    4546,
    (time) => `${appId}:tom:conv::${time}:nonce:client-unblock-conversations`,
    (signature) => checkBlacklistSignature(messaging, 'tom', 'conv', 'client-unblock-conversations', [], signature),
  ],
  [
    'reading history',
    4302,
    (time) => `${appId}:tom:conv:nonce:${time}`,
    (signature) => checkHistorySignature(messaging, 'tom', 'conv', signature),
  ],
]

describe.each(operations)('%s', (_name, code, text, check) => {
  const checked = async (signature: Signature | null) => check(signature)

  it('requires a signature with the master key', async () => {
    configure(on)
    await checked(signed(text(now)))
    const wrong = signed(text(now))
    for (const signature of [
      null,
      bogus,
      { ...wrong, nonce: 'other' },
      { ...wrong, timestamp: now - 1 },
      { ...wrong, text: '' },
      { ...wrong, text: hmac(`${text(now)}:`) },
      { ...wrong, text: createHmac('sha1', 'another key').update(text(now)).digest('hex') },
    ])
      await expect(checked(signature)).rejects.toMatchObject({ code })
  })

  it('accepts upper-case digits, and times in seconds', async () => {
    configure(on)
    const { text: digits, ...rest } = signed(text(now))
    await checked({ ...rest, text: digits.toUpperCase() })
    const seconds = Math.floor(now / 1000)
    await checked(signed(text(seconds), seconds))
  })

  it('accepts a signature for 6 hours', async () => {
    configure(on)
    for (const age of [5.9, -5.9]) {
      const time = Date.now() - age * 3_600_000
      await checked(signed(text(Math.round(time)), Math.round(time)))
    }
    for (const age of [6.1, -6.1, 1e6]) {
      const time = Math.round(Date.now() - age * 3_600_000)
      await expect(checked(signed(text(time), time))).rejects.toMatchObject({ code })
    }
    await expect(checked(signed(text(Number.NaN), Number.NaN))).rejects.toMatchObject({ code })
  })

  it('ignores signatures while checks are disabled', async () => {
    await checked(null)
    await checked(bogus)
  })
})

it('requires no signature for leaving', () => {
  configure(on)
  checkMemberSignature(messaging, 'tom', 'conv', 'kick', ['tom'], null)
})

it('opens a session with a login signature, and makes each one unique', async () => {
  configure(on)
  const { signature, nonce, client_id, timestamp } = signLogin(messaging, 'user id')
  expect(client_id).toBe('user id')
  expect(signature).toBe(hmac(`${appId}:user id::${timestamp}:${nonce}`))
  await checkSessionSignature(messaging, 'user id', { timestamp, nonce, text: signature })
  await expect(
    checkSessionSignature(messaging, 'somebody else', { timestamp, nonce, text: signature }),
  ).rejects.toMatchObject({ code: 4102 })
  expect(signLogin(messaging, 'user id').nonce).not.toBe(nonce)
})

it('rejects signatures from before a kick', async () => {
  configure(on)
  await database.query(sql`INSERT INTO ${messaging.tables.kicks} (client_id, ts) VALUES ('kicked', ${now}::bigint)`)
  const at = (time: number) => signed(`${appId}:kicked::${time}:nonce`, time)
  for (const time of [now - 1, now]) {
    await expect(checkSessionSignature(messaging, 'kicked', at(time))).rejects.toMatchObject({ code: 4102 })
  }
  await checkSessionSignature(messaging, 'kicked', at(now + 1))
})

it('accepts login signatures of this server for opening sessions only', async () => {
  await configure(on)
  const { signature, nonce, timestamp } = signLogin(messaging, 'tom')
  const login = { timestamp, nonce, text: signature }
  await checkSessionSignature(messaging, 'tom', login)
  const others = operations.filter(([, code]) => code !== 4102)
  for (const [name, code, , check] of others)
    await expect(async () => check(login), name).rejects.toMatchObject({ code })
})

it.each(['invite', 'kick', 'conversation-block-clients', 'client-unblock-conversations'])(
  'does not accept the signature of %s for a conversation with these members',
  async (action) => {
    await configure(on)
    const text = hmac(`${appId}:tom:conv:jerry:${now}:nonce:${action}`)
    const signature = { timestamp: now, nonce: `nonce:${action}`, text }
    expect(() => checkStartSignature(messaging, 'tom', ['conv', 'jerry'], signature)).toThrow(/nonce/)
  },
)
