import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { inEnglish } from '../notices/in-english.ts'
import { notice } from '../notices/notice.ts'
import { isInRanges, plainAddress } from '../proxies.ts'

/** Addresses outside the public Internet, by IANA's registries of special-purpose addresses. */
const NOT_PUBLIC = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Between a provider and its customers; Alibaba serves metadata at 100.100.100.200.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Most clouds serve metadata at 169.254.169.254,
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // and Azure partly here.
  ['168.63.129.16', 32],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // These two embed an IPv4 address, which may be private.
  ['2001::', 32],
  ['2002::', 16],
  ['2001:db8::', 32],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6')

/** All addresses allocated to hosts of the Internet so far. */
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** Returns whether an IP address is on the public Internet: not a loopback, private, link-local, shared or metadata address. */
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

/**
 * The addresses that a request may reach, by the origin of its URL:
 * - `any`: the operator of the server, or the program itself
 * - `app`: an app's settings, its administrators or its data: public addresses, and those that the operator allows
 *   (`--allow-private-addresses`)
 * - `engine`: the same for `engine.*`, which may also run on this machine
 */
export type Reach = 'any' | 'app' | 'engine'

let allowedRanges: readonly string[] = []

/** Sets the private addresses that apps may reach. @param ranges see `isProxyRange` */
export function allowPrivateAddresses(ranges: readonly string[]): void {
  allowedRanges = ranges
}

const LOOPBACK: readonly string[] = ['loopback']

/** Returns whether a request of that reach may connect to an IP address. */
export function isReachable(reach: Reach, address: string): boolean {
  if (reach === 'any' || isPublicAddress(address)) return true
  const plain = plainAddress(address)
  if (allowedRanges.length > 0 && isInRanges(allowedRanges, plain)) return true
  return reach === 'engine' && isInRanges(LOOPBACK, plain)
}

/** The reason of such a failure, for administrators. */
export const PRIVATE_ADDRESS = inEnglish(notice('addressPrivate'))

/** A name or address that a request may not reach. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS'

  constructor() {
    super(PRIVATE_ADDRESS)
    this.name = 'PrivateAddress'
  }
}

/** Checks a URL with an address as its host, which is not looked up. @throws PrivateAddress */
export function checkLiteral(reach: Reach, { hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0 && !isReachable(reach, address)) throw new PrivateAddress()
}

/**
 * Resolves a name for a socket, and fails with PrivateAddress if the request may not reach one of its addresses. The socket
 * connects to the result, so a name that changes in between cannot bypass the check.
 */
export function lookupReachable(reach: Reach, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isReachable(reach, address)))
        return callback(new PrivateAddress(), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
