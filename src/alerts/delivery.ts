import type { Transaction } from '../database/pool.ts'
import { exchange } from '../http-client/exchange.ts'
import { HttpFailure } from '../http-client/http-failure.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { DirectMailer } from '../mail/mailer.ts'
import type { Language } from '../notices/fill-in.ts'
import { type AlertLanguage, type AlertNotification, languageOf, textOf } from './notification.ts'
import { formatOf, isAccepted, type Webhook, type WebhookFormat, webhookRequest } from './webhook-format.ts'

export interface DeliveryOptions {
  /** Addresses that receive mails. */
  readonly recipients: readonly string[]
  readonly webhook: Webhook | null
  readonly language: AlertLanguage
  /** Returns the URL of the page of health in the console. */
  readonly consoleUrl: () => string
  readonly mailer: DirectMailer
  readonly jobs: Jobs
}

/** The outcome of a delivery that is not queued. */
export interface DirectOutcome {
  /** Recipients of the mail; 0 when none are configured. */
  readonly recipients: number
  /** Why the mail could not be sent; null when it was. */
  readonly mailProblem: string | null
  /** null: no webhook is configured */
  readonly webhook: { readonly format: WebhookFormat; readonly problem: string | null } | null
}

const JOB = 'alert webhook'
/** Attempts over about 40 minutes, as for mails. */
const MAX_ATTEMPTS = 10
const TIMEOUT_MS = 10_000
/** Maximum bytes of a response that are read. */
const MAX_ANSWER = 64 * 1024

/** Sends notifications of alerts by mail and to the webhook, each independently of the other. */
export class AlertDelivery {
  readonly #options: DeliveryOptions
  readonly #language: Promise<Language>

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#language = languageOf(options.language)
    options.jobs.handle<AlertNotification>(JOB, {
      maxAttempts: MAX_ATTEMPTS,
      run: (notification, signal) => this.#post(notification, signal),
    })
  }

  /** Queues a notification, which is sent after the commit. Failed deliveries are retried, also after a restart. */
  async enqueue(notification: AlertNotification, transaction: Transaction): Promise<void> {
    const { recipients, webhook, mailer, jobs } = this.#options
    if (webhook) await jobs.enqueue(JOB, notification, { transaction })
    const { subject, text } = await this.#textOf(notification)
    for (const to of recipients) await mailer.send({ to, subject, text }, transaction)
  }

  /** Sends a notification now, without the database and without retries. */
  async sendNow(notification: AlertNotification): Promise<DirectOutcome> {
    const { recipients, webhook, mailer } = this.#options
    const { subject, text } = await this.#textOf(notification)
    const [posted, ...mailed] = await Promise.all([
      webhook && this.#post(notification).then(() => null, reasonOf),
      ...recipients.map((to) => mailer.sendNow({ to, subject, text }).then(() => null, reasonOf)),
    ])
    return {
      recipients: recipients.length,
      mailProblem: mailed.find((problem) => problem !== null) ?? null,
      webhook: webhook && { format: formatOf(webhook), problem: posted },
    }
  }

  async #post(notification: AlertNotification, signal?: AbortSignal): Promise<void> {
    const { webhook } = this.#options
    if (!webhook) return
    const { url, headers, body } = webhookRequest(webhook, notification, await this.#textOf(notification), Date.now())
    const request = { method: 'POST', url, headers, body, timeout: TIMEOUT_MS, reach: 'any' } as const
    await exchange({ ...request, ...(signal && { signal }) }, async (answer) => {
      const text = await answer.text(MAX_ANSWER).catch(() => '')
      // The response may quote the URL, which holds the key of a chat robot.
      if (!isAccepted(formatOf(webhook), answer.status, text))
        throw new Error(`the webhook rejected the alert (HTTP status ${answer.status})`)
    })
  }

  async #textOf(notification: AlertNotification) {
    return textOf(notification, await this.#language, this.#options.consoleUrl())
  }
}

/** Returns the reason of a failed delivery, without the URL of the webhook. */
function reasonOf(error: unknown): string {
  if (error instanceof HttpFailure) return error.message
  return error instanceof Error ? error.message : 'unknown'
}
