import type { Transporter } from 'nodemailer'
import type { Delivery } from './message.ts'

/** Waiting for a mail server, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Nothing in a message may make the mailer read files or fetch URLs. */
const SHUT = { disableFileAccess: true, disableUrlAccess: true }

/**
 * Sends through a mail server.
 * @param smtpUrl `smtp://user:password@host:port`, or `smtps:` for TLS from the first byte
 */
export function deliverBySmtp(smtpUrl: string, from: string): Delivery {
  let transport: Promise<Transporter> | null = null
  // Most servers never send one: the library is loaded for the first.
  const open = async () => (await import('nodemailer')).createTransport({ url: smtpUrl, ...TIMEOUTS, ...SHUT })
  return async ({ appId: _, ...letter }) => {
    transport ??= open()
    await (await transport).sendMail({ ...letter, from })
    return 'the mail server'
  }
}

/** The server takes everything but this message: sending it again would end the same way. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false
  return Number(error.responseCode) >= 500 && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
}
