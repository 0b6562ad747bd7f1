import { expect, onTestFinished } from 'vitest'
import { encode } from '../../../src/realtime-protocol/codec.ts'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import type { TestApp } from '../../support/app.ts'
import { connect } from '../../support/raw-connection.ts'

type Fits = (command: GenericCommand) => boolean

/** A connection as Swift's `RTMConnection` and Objective-C's `LCRTMConnection` use it, which were written alike. */
export interface AppleConnection {
  /** Opens a session and resolves with the answer. `more` is what the session command holds besides. */
  open(peerId: string, more?: GenericCommand['sessionMessage']): Promise<GenericCommand>
  /** Sends a request of one of the sessions, numbered from 1. */
  request(peerId: string, command: GenericCommand): Promise<GenericCommand>
  /** Sends what is not answered: it has no number. */
  send(peerId: string, command: GenericCommand): void
  /** The next push that the client hands to a session, or to its live queries. */
  heard(receiver: string, fits: Fits): Promise<GenericCommand>
  /** Logs in for live queries. */
  logIn(installationId: string, clientTs?: number): Promise<GenericCommand>
  drop(): void
}

const IM = 2
const LIVE_QUERY = 1

export interface AppleOptions {
  /** `ua` of each opening. */
  readonly userAgent: string
  /** What the client says that it can do. */
  readonly configBitmap: number
  /** `.1` without the option that counts what is unread. */
  readonly subprotocol?: 'lc.protobuf2.1' | 'lc.protobuf2.3'
}

/** Connects like the two. When the test is over, nothing must have come that they would have dropped. */
export async function connectApple(
  app: Pick<TestApp, 'url' | 'appId'>,
  { userAgent, configBitmap, subprotocol = 'lc.protobuf2.3' }: AppleOptions,
): Promise<AppleConnection> {
  const connection = await connect(app, subprotocol)
  /** Those who are handed pushes: sessions and live queries. */
  const receivers = new Set<string>()
  let defaultPeer: string | undefined
  let needsIds = false
  let number = 0

  // websocketDidReceiveData (Swift), LCRTMWebSocket:didReceiveMessage: (Objective-C): what has no number goes to a
  // session or to the live queries by a `service` that is there, and to nobody without it.
  const receiverOf = ({ service, peerId, installationId }: GenericCommand): string | undefined => {
    if (service === IM) return peerId ?? defaultPeer
    return service === LIVE_QUERY ? installationId : undefined
  }
  onTestFinished(() => {
    const pushes = connection.received.filter(({ i }) => i === undefined)
    const dropped = pushes.filter((push) => !receivers.has(receiverOf(push) ?? ''))
    expect(dropped).toEqual([])
  })

  // tryPadding, tryPadPeerID:forCommand: the id is left out as long as only one has opened.
  const padded = (peerId: string, command: GenericCommand) => (needsIds ? { ...command, peerId } : command)
  const request = async (command: GenericCommand) => {
    const numbered = { ...command, i: ++number }
    // RTMConnection.send refuses commands of more than five kilobytes.
    expect((encode(numbered, 'protobuf') as Buffer).length).toBeLessThanOrEqual(5 * 1024)
    return connection.request(numbered)
  }
  return {
    async open(peerId, more) {
      receivers.add(peerId)
      const sessionMessage = { ua: userAgent, configBitmap, ...more }
      const answer = await request({ cmd: 'session', op: 'open', appId: app.appId, peerId, sessionMessage })
      // checkSessionOpenedPeerID
      if (answer.op === 'opened') {
        defaultPeer ??= answer.peerId
        needsIds ||= answer.peerId !== defaultPeer
      }
      return answer
    },
    request: (peerId, command) => request(padded(peerId, command)),
    send: (peerId, command) => connection.send(padded(peerId, command)),
    heard: (receiver, fits) =>
      connection.take((push) => push.i === undefined && receiverOf(push) === receiver && fits(push)),
    async logIn(installationId, clientTs) {
      receivers.add(installationId)
      const time = clientTs === undefined ? {} : { clientTs }
      return request({ cmd: 'login', appId: app.appId, installationId, service: LIVE_QUERY, ...time })
    },
    drop: () => connection.drop(),
  }
}
