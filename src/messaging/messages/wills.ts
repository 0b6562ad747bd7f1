import { ApiError } from '../../errors.ts'
import type { HeldJob } from '../../jobs/held-jobs.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import type { Draft, Sender } from './draft.ts'
import { checkDraft, sendUnstored, targetOf } from './send-message.ts'

/** A will as the jobs keep it. */
interface Will {
  readonly appId: string
  readonly id: string
  readonly draft: Draft
  readonly sender: Sender
}

const WILL_JOB = 'messaging will'
const CONCURRENCY = 20
const MAX_ATTEMPTS = 5

/**
 * What clients want to have said when their connections are lost (protocol/realtime, Transient, will, priority, push
 * data, mentions, binary). The node that has the session holds its will as a job: if the node dies, another one sends
 * what all the sessions there have left behind.
 */
export class Wills {
  readonly #messaging: Messaging
  /** The last will of each session, after those before it have been dropped. */
  readonly #held = new WeakMap<ClientSession, Promise<HeldJob | null>>()
  /** Sessions that have ended: what they still say comes too late. */
  readonly #ended = new WeakSet<ClientSession>()

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
    const sender: Sender = { clientId: session.clientId, session: { id: session.id }, ip, sync: true }
    await targetOf(this.#messaging, sender, draft.convId)
    const id = newMessageId()
    if (!this.#ended.has(session)) await this.#hold(session, { appId: this.#messaging.appId, id, draft, sender })
    return { id, ts: Date.now() }
  }

  /** The session was closed deliberately: nothing is to be said. */
  async drop(session: ClientSession): Promise<void> {
    await (await this.#end(session))?.drop()
  }

  /** The session was lost: sends what it left behind, if the client may still send there. */
  async fire(session: ClientSession): Promise<void> {
    await (await this.#end(session))?.start()
  }

  async #hold(session: ClientSession, will: Will): Promise<void> {
    const holding = this.#messaging.jobs.hold(WILL_JOB, will)
    const replaced = replace(this.#held.get(session), holding)
    this.#held.set(session, replaced)
    await Promise.all([holding, replaced])
  }

  #end(session: ClientSession): Promise<HeldJob | null> | undefined {
    this.#ended.add(session)
    const held = this.#held.get(session)
    this.#held.delete(session)
    return held
  }
}

/**
 * Sends the wills of sessions that were lost, on this node or with another one.
 * @param open the messaging of an app; undefined when the app is gone
 */
export function sendWills(jobs: Jobs, open: (appId: string) => Promise<Messaging | undefined>): void {
  jobs.handle<Will>(WILL_JOB, {
    concurrency: CONCURRENCY,
    maxAttempts: MAX_ATTEMPTS,
    async run({ appId, id, draft, sender }) {
      const messaging = await open(appId)
      if (!messaging) return
      try {
        await sendUnstored(messaging, sender, draft, id)
      } catch (error) {
        if (!isRefusal(error)) throw error
        messaging.log.info({ error: error.message }, 'sending last-will message failed')
      }
    },
  })
}

/** A will that cannot be kept leaves the one before it. */
async function replace(before: Promise<HeldJob | null> | undefined, next: Promise<HeldJob>): Promise<HeldJob | null> {
  const [old, held] = await Promise.all([before ?? null, next.catch(() => null)])
  if (held) await old?.drop().catch(() => {})
  return held ?? old
}

/** The client may not send there any more: trying again would not help. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500
}
