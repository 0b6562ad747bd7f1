import { ApiError } from '../../errors.ts'
import type { HeldJob } from '../../jobs/held-jobs.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { newMessageId } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import type { Draft, Sender } from './draft.ts'
import { checkDraft, sendUnstored, targetOf } from './send-message.ts'

/** A will as the payload of a job. */
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
 * Keeps the messages that clients want to be sent when their connections are lost (protocol/realtime, Transient, will, priority,
 * push data, mentions, binary). The node of the session holds its will as a job: if the node dies, another node sends the wills
 * of its sessions.
 */
export class Wills {
  readonly #messaging: Messaging
  /** The last will of each session, after earlier ones have been dropped. */
  readonly #held = new WeakMap<ClientSession, Promise<HeldJob | null>>()
  /** Sessions that have ended; later wills of theirs are ignored. */
  readonly #ended = new WeakSet<ClientSession>()

  constructor(messaging: Messaging) {
    this.#messaging = messaging
  }

  /**
   * Sets the will of a session, which replaces an earlier one.
   * @returns the id that the message will have, and the current time in milliseconds
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

  /** Drops the will of a session that was closed deliberately. */
  async drop(session: ClientSession): Promise<void> {
    await (await this.#end(session))?.drop()
  }

  /** Sends the will of a session that was lost, if the client may still send to the conversation. */
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
 * @param open returns the messaging of an app; undefined when the app is deleted
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

/** Replaces a will. A will that cannot be held leaves the previous one in place. */
async function replace(before: Promise<HeldJob | null> | undefined, next: Promise<HeldJob>): Promise<HeldJob | null> {
  const [old, held] = await Promise.all([before ?? null, next.catch(() => null)])
  if (held) await old?.drop().catch(() => {})
  return held ?? old
}

/** Returns whether the client may no longer send to the conversation; a retry would not help. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500
}
