import AV from 'leancloud-storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { nextEvent } from '../../../support/realtime.ts'
import { initSdk } from '../../../support/sdk.ts'
import type { SuiteEnvironment } from './environment.ts'

interface Inside {
  readonly _connection: { disconnect(): void }
}
const loseConnection = (client: object) => (client as Inside)._connection.disconnect()

/** Declares the tests of logins and reconnects of the official client. */
export function session({ app, newDevice, logIn, configure }: SuiteEnvironment): void {
  beforeAll(() => initSdk(app))

  describe('logging in', () => {
    it('anonymously gives each client an id', async () => {
      const device = newDevice()
      const [first, second] = await Promise.all([device.logIn(null), device.logIn(null)])
      expect(first.id).toEqual(expect.any(String))
      expect(second.id).toEqual(expect.any(String))
      expect(first.id).not.toBe(second.id)
    })

    it('ends with one close event', async () => {
      const client = await logIn('tom')
      let closes = 0
      client.on('close', () => closes++)
      expect(client.id).toBe('tom')
      await client.close()
      expect(closes).toBe(1)
    })

    it('passes a signature, which is ignored while signatures are off', async () => {
      const asked: string[] = []
      const signatureFactory = (clientId: string) => {
        asked.push(clientId)
        return { signature: 'bogus', timestamp: Date.now(), nonce: 'bogus' }
      }
      await logIn('signed', { signatureFactory })
      expect(asked).toEqual(['signed'])
    })

    it('lists online clients', async () => {
      const client = await logIn('here')
      expect(await client.ping(['nobody', 'here', 'else'])).toEqual(['here'])
    })

    it('with the tag of another device closes the session there', async () => {
      const first = await logIn('ann', { tag: 'phone' })
      const conflict = nextEvent<[{ reason: string }]>(first, 'conflict')
      const second = await logIn('ann', { tag: 'phone' })
      expect((await conflict)[0].reason).toBe('SESSION_CONFLICT')
      expect(await second.ping(['ann'])).toEqual(['ann'])
    })
  })

  describe('a user', () => {
    it('logs in with its id, with a signature when the app requires one', async () => {
      await configure({ messaging: { sessionSignature: true } })
      const user = await AV.User.signUp('signs in', 'password of signs in')
      const client = await newDevice().logIn(user)
      expect(client.id).toBe(user.id)
      await expect(logIn('unsigned')).rejects.toMatchObject({ name: 'SIGNATURE_FAILED' })
      const back = nextEvent(client, 'reconnect')
      loseConnection(client)
      await back
      await configure({ messaging: null })
    })

    it('that does not exist gets no signature', async () => {
      const reply = await app.request('POST', '/1.1/rtm/sign', { body: { session_token: 'nobody' } })
      expect(reply).toMatchObject({ status: 400, body: { code: 211 } })
    })
  })

  describe('reconnecting', () => {
    it('with an invalid token succeeds without one', async () => {
      const client = await logIn('worthless')
      await app.sql(`INSERT INTO "$kicks" (client_id, ts) VALUES ('worthless', $1)`, [Date.now()])
      const back = nextEvent(client, 'reconnect')
      loseConnection(client)
      await back
      expect(await client.ping(['worthless'])).toEqual(['worthless'])
    })

    it('receives invitations sent meanwhile', async () => {
      const [creator, guest] = [await logIn('creator'), await logIn('guest')]
      const invited = nextEvent<[{ invitedBy: string }, { id: string }]>(guest, 'invited')
      loseConnection(guest)
      const conversation = await creator.createConversation({ members: ['guest'] })
      const [{ invitedBy }, { id }] = await invited
      expect({ invitedBy, id }).toEqual({ invitedBy: 'creator', id: conversation.id })
    })
  })
}
