import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf } from '../finding.ts'

/** Resolves the host names at which clients reach the server. */
export async function checkDns({ config: { publicUrl, filesPublicUrl } }: Examination): Promise<Finding[]> {
  const hosts = new Set([publicUrl, filesPublicUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname])))
  return Promise.all([...hosts].filter((host) => !isIP(host.replace(/^\[|\]$/g, ''))).map(checkHost))
}

async function checkHost(host: string): Promise<Finding> {
  try {
    const found = await lookup(host, { all: true })
    return fine('doctorDns', { host, addresses: found.map(({ address }) => address) })
  } catch (error) {
    return failure('doctorDnsUnresolved', { host, reason: reasonOf(error) })
  }
}
