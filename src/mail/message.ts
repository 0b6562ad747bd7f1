import { errors } from '../errors.ts'
import { isMailAddress } from './address.ts'

export interface Message {
  /** The app that sends the mail: mails are sent round robin between apps. Absent for mails of no app. */
  readonly appId?: string
  /** A single address. */
  readonly to: string
  /** A single line. */
  readonly subject: string
  readonly text: string
  readonly html?: string
}

/** A queued message; its `Message-ID` stays the same for all attempts. */
export interface Letter extends Message {
  readonly messageId: string
}

/**
 * Hands a message over to a mail server or the outbox.
 * @returns the destination, for the log
 * @throws when the message could not be handed over
 */
export type Delivery = (letter: Letter) => Promise<string>

const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * @throws ApiError 125 when the address is invalid, 1 when the subject contains control characters, which could start
 *   further headers
 */
export function checkMessage({ to, subject }: Message): void {
  if (!isMailAddress(to)) throw errors.invalidEmail()
  if (CONTROL_CHARACTER.test(subject)) throw errors.badArgument('The subject of a mail must be one line.')
}
