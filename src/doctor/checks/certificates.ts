import { once } from 'node:events'
import { isIP } from 'node:net'
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const DAY_MS = 86_400_000
/** Days before the expiry of a certificate that is not renewed automatically. Authorities suggest to renew 30 days before. */
const FEW_DAYS = 21
const TIMEOUT_MS = 10_000

/** Checks the certificates of the https URLs at which clients reach the server. */
export async function checkCertificates({ config: { publicUrl, filesPublicUrl } }: Examination): Promise<Finding[]> {
  const urls = [publicUrl, filesPublicUrl].filter((url) => url?.startsWith('https:'))
  return (await Promise.all(urls.map((url) => checkCertificate(new URL(url!))))).flat()
}

async function checkCertificate({ hostname, host, port }: URL): Promise<Finding[]> {
  const name = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host: name,
    port: Number(port || 443),
    // The certificate is examined here, whatever is wrong with it.
    rejectUnauthorized: false,
    timeout: TIMEOUT_MS,
    ...(isIP(name) === 0 && { servername: name }),
  })
  socket.once('timeout', () => socket.destroy(new Error('timeout')))
  try {
    await once(socket, 'secureConnect')
    return findingsOf(socket, name, host)
  } catch (error) {
    // The check of DNS reports it.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []
    return [failure('doctorCertificateUnread', { host, reason: reasonOf(error) })]
  } finally {
    socket.destroy()
  }
}

function findingsOf(socket: TLSSocket, name: string, host: string): Finding[] {
  const certificate = socket.getPeerCertificate()
  const until = Date.parse(certificate.valid_to)
  const days = Math.floor((until - Date.now()) / DAY_MS)
  const date = new Date(until).toISOString().slice(0, 10)
  const findings: Finding[] = []
  if (days < 0) findings.push(failure('doctorCertificateExpired', { host, date }))
  if (checkServerIdentity(name, certificate) !== undefined)
    findings.push(failure('doctorCertificateName', { host, names: certificate.subjectaltname ?? '-' }))
  // In spite of its type, a code.
  const reason = String(socket.authorizationError ?? '')
  if (!socket.authorized && reason !== 'CERT_HAS_EXPIRED' && !reason.startsWith('ERR_TLS_CERT_ALTNAME'))
    findings.push(failure('doctorCertificateUntrusted', { host, reason }))
  if (findings.length > 0) return findings
  return [
    days < FEW_DAYS
      ? warning('doctorCertificateExpiring', { host, date, days: String(days) })
      : fine('doctorCertificate', { host, days: String(days) }),
  ]
}
