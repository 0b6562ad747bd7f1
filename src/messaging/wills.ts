import { newMessageId } from './message.ts'
import type { Messaging } from './messaging.ts'
import type { ClientSession } from './presence.ts'
import { checkDraft, type Draft, type Sender, sendUnstored, targetOf } from './send-message.ts'

interface Will {
  readonly id: string
  readonly draft: Draft
  readonly sender: Sender
}

/**
 * What clients want to have said when their connections are lost (spec/realtime-protocol, 6.7). Wills are kept by the node
 * that holds the session, and end with it.
 */
export class Wills {
  readonly #messaging: Messaging
  readonly #wills = new WeakMap<ClientSession, Will>()

  constructor(messaging: Messaging) {
    this.#messaging = messaging
  }

  /**
   * Keeps the will of a session in place of the one it had.
   * @returns the id that the message will have, and the time now in milliseconds
   * @throws as `sendMessage`
   */
  async set(session: ClientSession, draft: Draft, ip: string | null): Promise<{ id: string; ts: number }> {
    checkDraft(draft)
    const sender: Sender = { clientId: session.clientId, session, ip, sync: true }
    await targetOf(this.#messaging, sender, draft.convId)
    const id = newMessageId()
    this.#wills.set(session, { id, draft, sender })
    return { id, ts: Date.now() }
  }

  /** The session was closed deliberately: nothing is to be said. */
  drop(session: ClientSession): void {
    this.#wills.delete(session)
  }

  /** The session was lost: sends what it left behind, if the client may still send there. */
  async fire(session: ClientSession): Promise<void> {
    const will = this.#wills.get(session)
    if (!will) return
    this.#wills.delete(session)
    try {
      await sendUnstored(this.#messaging, will.sender, will.draft, will.id)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#messaging.log.info({ component: 'messaging', error: reason }, 'a last-will message was not sent')
    }
  }
}
