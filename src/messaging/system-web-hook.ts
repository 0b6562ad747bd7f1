import { coalesce } from '../database/coalesce.ts'
import { exchange } from '../http-client/exchange.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MessagingSettings } from './messaging-settings.ts'

/** What a client wrote to a system conversation, as the web hook is given it (protocol/cloud-code, Messaging hooks). */
export interface SystemMessage {
  readonly conv: { readonly __type: 'Pointer'; readonly className: '_Conversation'; readonly objectId: string }
  readonly msgId: string
  readonly from: string
  readonly fromIp?: string
  readonly bin: boolean
  readonly data: string
  readonly createdAt: string
  readonly updatedAt: string
}

interface Batch {
  readonly appId: string
  readonly messages: readonly SystemMessage[]
}

/** An app, as far as its web hook goes. */
export interface WebHookApp {
  readonly appId: string
  readonly jobs: Pick<Jobs, 'enqueue'>
  settings(): MessagingSettings
}

const JOB = 'messaging system web hook'
/** Messages of one batch: they have 5 KB each. */
const SIZE = 100
/** Milliseconds until the whole answer has to be here. */
const TIMEOUT = 5000
/** Three more than the first. */
const MAX_ATTEMPTS = 4
const CONCURRENCY = 10

/**
 * Posts to the web hook of an app (`messaging.systemWebhook`) what clients write to system conversations. Messages that
 * arrive together are posted together.
 */
export class SystemWebHook {
  readonly #app: WebHookApp
  readonly #enqueue: (message: SystemMessage) => Promise<void>

  constructor(app: WebHookApp) {
    this.#app = app
    this.#enqueue = coalesce(
      async (messages) => {
        await app.jobs.enqueue(JOB, { appId: app.appId, messages } satisfies Batch)
        return messages.map(() => ({ result: undefined }))
      },
      { atOnce: 1, size: SIZE },
    )
  }

  /** Resolves when the message will be posted whatever becomes of this process; at once where there is no web hook. */
  async notify(message: SystemMessage): Promise<void> {
    if (this.#app.settings().systemWebhook !== undefined) await this.#enqueue(message)
  }
}

/**
 * Calls the web hooks: each batch until it is answered with 2xx, four times at most.
 * @param settingsOf what is set for an app; undefined when the app is gone
 */
export function callSystemWebHooks(
  jobs: Jobs,
  settingsOf: (appId: string) => Promise<MessagingSettings | undefined>,
): void {
  jobs.handle<Batch>(JOB, {
    concurrency: CONCURRENCY,
    maxAttempts: MAX_ATTEMPTS,
    async run({ appId, messages }, signal) {
      const url = (await settingsOf(appId))?.systemWebhook
      if (url === undefined) return
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const request = {
        method: 'POST',
        url,
        headers,
        body: JSON.stringify(messages),
        timeout: TIMEOUT,
        signal,
        reach: 'app',
      } as const
      const status = await exchange(request, async (answer) => answer.status)
      if (status < 200 || status > 299) throw new Error(`the web hook answered ${status}`)
    },
  })
}
