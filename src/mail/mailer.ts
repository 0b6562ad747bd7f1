import { randomUUID } from 'node:crypto'
import type { Counts } from '../counts.ts'
import type { Executor } from '../database/pool.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import { domainOf, isMailAddress } from './address.ts'
import { checkMessage, type Letter, type Message } from './message.ts'
import { deliverToOutbox } from './outbox.ts'
import { deliverBySmtp, isRefused } from './smtp.ts'

export interface Mailer {
  /**
   * Sends a message in the background. Retries until the mail server accepts it or ten attempts over about 40 minutes
   * have failed. In a transaction, sends it after the commit.
   * @throws ApiError 125 when the address is invalid, 1 when the subject contains control characters
   */
  send(message: Message, transaction?: Executor): Promise<void>
}

/** A mailer that can also send without the database. */
export interface DirectMailer extends Mailer {
  /**
   * Sends a message now, without retries.
   * @throws ApiError as `send`; the error of the mail server
   */
  sendNow(message: Message): Promise<void>
}

export interface MailerOptions {
  /** null: messages are written to `outbox` */
  readonly smtpUrl: string | null
  /** Directory for messages when no mail server is configured. */
  readonly outbox: string
  /** Sender, an address or `Name <address>`; by default the user of the SMTP URL if that is an address. */
  readonly from?: string
  readonly jobs: Jobs
  /** Counts attempts by outcome. */
  readonly counts?: Counts
  readonly log: Log
}

/** Creates the mailer. Jobs of the kind `mail` carry the messages. */
export function createMailer({ smtpUrl, outbox, from, jobs, counts, log: serverLog }: MailerOptions): DirectMailer {
  const log = serverLog.child({ component: 'mail' })
  const sender = from ?? defaultSender(smtpUrl)
  const deliver = smtpUrl === null ? deliverToOutbox(outbox, sender) : deliverBySmtp(smtpUrl, sender)

  jobs.handle<Letter>('mail', {
    maxAttempts: 10,
    concurrency: 4,
    async run(letter) {
      const about = { messageId: letter.messageId, domain: domainOf(letter.to) }
      try {
        log.info({ ...about, destination: await deliver(letter) }, 'mail sent')
        counts?.add(['sent'])
      } catch (error) {
        counts?.add([isRefused(error) ? 'rejected' : 'failed'])
        if (!isRefused(error)) throw error
        log.warn(about, 'mail rejected by mail server, dropped')
      }
    },
  })

  const letterOf = (message: Message): Letter => {
    checkMessage(message)
    return { ...message, messageId: `<${randomUUID()}@${domainOf(sender).replace('>', '')}>` }
  }

  return {
    async send(message, transaction) {
      await jobs.enqueue('mail', letterOf(message), transaction && { transaction })
    },
    async sendNow(message) {
      await deliver(letterOf(message))
    },
  }
}

/** Returns the sender of mail: the user of the SMTP URL if that is an address. */
export function defaultSender(smtpUrl: string | null): string {
  const user = smtpUrl === null ? '' : decodeURIComponent(new URL(smtpUrl).username)
  return isMailAddress(user) ? user : 'homeport@localhost'
}
