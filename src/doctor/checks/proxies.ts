import type { Examination } from '../examination.ts'
import { type Finding, fine, warning } from '../finding.ts'

/** Checks the trusted proxies. Chats fail behind a TLS proxy that is not trusted. */
export function checkProxies({ config: { trustedProxies, namesProxies, adminAddresses } }: Examination): Finding[] {
  const findings: Finding[] = [fine('doctorProxies', { ranges: trustedProxies.join(', ') || 'none' })]
  if (adminAddresses.length === 0) return findings
  const wide = trustedProxies.filter(isWideRange)
  if (!namesProxies) findings.push(warning('doctorProxiesUnnamed'))
  else if (wide.length > 0) findings.push(warning('doctorProxiesWide', { ranges: wide.join(', ') }))
  return findings
}

/** Returns whether a range contains more than a few machines besides this one. */
function isWideRange(range: string): boolean {
  if (range === 'linklocal' || range === 'uniquelocal') return true
  const [address, bits] = range.split('/')
  return bits !== undefined && /^\d+$/.test(bits) && Number(bits) < (address!.includes(':') ? 112 : 17)
}
