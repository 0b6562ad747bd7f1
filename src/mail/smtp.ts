import type { Transporter } from 'nodemailer'
import type { Delivery } from './message.ts'

/** Timeouts of the mail server, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Prevents messages from making the mailer read files or fetch URLs. */
const SHUT = { disableFileAccess: true, disableUrlAccess: true }

/**
 * Sends mails through a mail server.
 * @param smtpUrl `smtp://user:password@host:port`, or `smtps:` for implicit TLS
 */
export function deliverBySmtp(smtpUrl: string, from: string): Delivery {
  let transport: Promise<Transporter> | null = null
  // Loads the library with the first mail, because most servers never send one.
  const open = async () => (await import('nodemailer')).createTransport({ url: smtpUrl, ...TIMEOUTS, ...SHUT })
  return async ({ appId: _, ...letter }) => {
    transport ??= open()
    await (await transport).sendMail({ ...letter, from })
    return 'the mail server'
  }
}

/** Returns whether the server rejected this message permanently, so that a retry is useless. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false
  return Number(error.responseCode) >= 500 && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
}
