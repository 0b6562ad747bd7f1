import { defaultSender } from '../../mail/mailer.ts'
import { type SmtpTrial, trySmtp } from '../../mail/smtp.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const LOCAL_HOST = /^(localhost|127\.|\[?::1\]?$)/

/** Connects to the mail server and logs in, without sending mail. */
export async function checkSmtp({ config: { smtpUrl } }: Examination): Promise<Finding[]> {
  if (smtpUrl === null) return [warning('doctorSmtpNone')]
  const { hostname, port, username } = new URL(smtpUrl)
  const server = port === '' ? hostname : `${hostname}:${port}`
  const sender = defaultSender(smtpUrl)
  const findings = sender.endsWith('@localhost') ? [warning('doctorSmtpSender', { sender })] : []
  const trial = await trySmtp(smtpUrl)
  findings.unshift(findingOf(server, trial))
  if (trial.failed === null && !trial.isEncrypted && username !== '' && !LOCAL_HOST.test(hostname))
    findings.push(warning('doctorSmtpPlain', { server }))
  return findings
}

function findingOf(server: string, { failed, error }: SmtpTrial): Finding {
  const values = { server, reason: reasonOf(error) }
  switch (failed) {
    case null:
      return fine('doctorSmtp', { server })
    case 'login':
      return failure('doctorSmtpLogin', values)
    case 'encryption':
      return failure('doctorSmtpTls', values)
    case 'connection':
      return failure('doctorSmtpUnreachable', values)
  }
}
