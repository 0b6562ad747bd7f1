import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** What is not of the public Internet, by the registries of IANA for special addresses. */
const NOT_PUBLIC = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Between a provider and its customers; Alibaba keeps its metadata at 100.100.100.200.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Most clouds keep their metadata at 169.254.169.254,
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // and Azure some here.
  ['168.63.129.16', 32],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // These two carry an IPv4 address, which may be any.
  ['2001::', 32],
  ['2002::', 16],
  ['2001:db8::', 32],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6')

/** All that is given to hosts of the Internet so far. */
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address is one of the public Internet: no loopback, private, link-local, shared or metadata address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && GLOBAL_IPV6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6')
    default:
      return false
  }
}

/** A name or address that is not public. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS'

  constructor() {
    super('the address is not a public one')
    this.name = 'PrivateAddress'
  }
}

/**
 * Looks a name up for a socket, and fails with PrivateAddress when one of its addresses is not public. The socket
 * connects to what it gets here, so that a name which changes in between is of no use.
 */
export function lookupPublic(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new PrivateAddress(), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
