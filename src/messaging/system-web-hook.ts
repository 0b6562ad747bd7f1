import { coalesce } from '../database/coalesce.ts'
import { exchange } from '../http-client/exchange.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MessagingSettings } from './messaging-settings.ts'

/** A message to a system conversation, as the web hook receives it (protocol/cloud-code, Messaging hooks). */
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

/** The parts of an app that its web hook needs. */
export interface WebHookApp {
  readonly appId: string
  readonly jobs: Pick<Jobs, 'enqueue'>
  settings(): MessagingSettings
}

const JOB = 'messaging system web hook'
/** Maximum number of messages of a batch; each has up to 5 KB. */
const SIZE = 100
/** The time limit for the whole response, in milliseconds. */
const TIMEOUT = 5000
/** The first attempt and three retries. */
const MAX_ATTEMPTS = 4
const CONCURRENCY = 10

/**
 * Posts messages of clients to system conversations to the web hook of an app (`messaging.systemWebhook`). Messages that arrive
 * together share a request.
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

  /** Queues a message. Resolves when it is stored durably; immediately for an app without a web hook. */
  async notify(message: SystemMessage): Promise<void> {
    if (this.#app.settings().systemWebhook !== undefined) await this.#enqueue(message)
  }
}

/**
 * Calls the web hooks. Each batch is retried until the response is 2xx, with at most four attempts.
 * @param settingsOf returns the settings of an app; undefined when the app is deleted
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
      if (status < 200 || status > 299) throw new Error(`the web hook returned status ${status}`)
    },
  })
}
