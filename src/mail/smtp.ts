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

/** The outcome of a trial: at which step it failed, and whether the connection was encrypted. */
export interface SmtpTrial {
  readonly failed: 'connection' | 'encryption' | 'login' | null
  readonly isEncrypted: boolean
  readonly error: unknown
}

/** Connects to a mail server and logs in as the mailer would, without sending mail. */
export async function trySmtp(smtpUrl: string): Promise<SmtpTrial> {
  const [{ createTransport }, { default: SmtpConnection }] = await Promise.all([
    import('nodemailer'),
    import('nodemailer/lib/smtp-connection'),
  ])
  const { options } = createTransport({ url: smtpUrl, ...TIMEOUTS, ...SHUT }) as {
    readonly options: { readonly auth?: { readonly user?: string; readonly pass?: string } }
  }
  const connection = new SmtpConnection({ ...options, ...TRIAL_TIMEOUTS })
  const ended = new Promise<never>((_, reject) => {
    connection.once('error', reject)
    connection.once('end', () => reject(new Error('the server closed the connection')))
  })
  // Errors after the trial have no receiver.
  ended.catch(() => {})
  const step = (begin: (done: (error?: Error | null) => void) => void) =>
    Promise.race([ended, new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))])
  let failed: SmtpTrial['failed'] = 'connection'
  try {
    await step((done) => connection.connect(done))
    const { user = '', pass = '' } = options.auth ?? {}
    failed = 'login'
    if (user !== '') await step((done) => connection.login({ user, pass }, done))
    return { failed: null, isEncrypted: connection.secure, error: null }
  } catch (error) {
    return { failed: isTlsError(error) ? 'encryption' : failed, isEncrypted: connection.secure, error }
  } finally {
    connection.close()
  }
}

/** Timeouts of a trial, in milliseconds. */
const TRIAL_TIMEOUTS = { connectionTimeout: 8000, greetingTimeout: 8000, socketTimeout: 8000 }

function isTlsError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return code === 'ETLS' || /certificate|self.signed|\bSSL\b|\bTLS\b|STARTTLS/i.test(`${code} ${error.message}`)
}
