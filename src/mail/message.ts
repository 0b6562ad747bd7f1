import { errors } from '../errors.ts'
import { isMailAddress } from './address.ts'

export interface Message {
  /** The app that sends it: mails of all apps are sent in turns. Not given where it is of none. */
  readonly appId?: string
  /** One address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html?: string
}

/** A message on its way; its `Message-ID` stays the same however often it is sent. */
export interface Letter extends Message {
  readonly messageId: string
}

/** Hands a message over. @returns where it went, for the log; throws when it could not be handed over */
export type Delivery = (letter: Letter) => Promise<string>

const CONTROL_CHARACTER = /\p{Cc}/u

/** @throws ApiError 125 when the address is none, 1 when the subject could be taken for further headers */
export function checkMessage({ to, subject }: Message): void {
  if (!isMailAddress(to)) throw errors.invalidEmail()
  if (CONTROL_CHARACTER.test(subject)) throw errors.badArgument('The subject of a mail must be one line.')
}
