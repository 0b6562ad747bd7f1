import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import parseForwarded from 'forwarded-parse'

/** How a client sent a request, before proxies forwarded it. */
export interface SentRequest {
  /** IP address of the client; `''` after its socket has closed */
  readonly address: string
  /**
   * Address of the connection's sender, if it is a proxy trusted only by default that claims another one in `address`: a
   * restriction by address must require both to be in its ranges. null if `address` is certain.
   */
  readonly unnamedProxy: string | null
  /**
   * Whether a proxy forwarded the request, but the operator has not named it in `--trusted-proxies`: `address` may be that of the
   * proxy, or forged.
   */
  readonly isForwardedByUnnamed: boolean
  /** null: a proxy forwarded it without naming the protocol */
  readonly protocol: 'http' | 'https' | null
  /** Name or address, with the port if one was named; null when the request names no valid host */
  readonly host: string | null
}

/** The origin of a request. */
export type SenderAddress = Pick<SentRequest, 'address' | 'unnamedProxy'>

/** A request without proxy headers. The host is computed on demand, because few callers need it and every request passes here. */
class Direct implements SentRequest {
  readonly address: string
  readonly unnamedProxy = null
  readonly protocol: 'http' | 'https'
  readonly #headers: IncomingMessage['headers']

  constructor(address: string, protocol: 'http' | 'https', headers: IncomingMessage['headers']) {
    this.address = address
    this.protocol = protocol
    this.#headers = headers
  }

  get isForwardedByUnnamed(): boolean {
    return isForwarded(this.#headers)
  }

  get host(): string | null {
    return hostOf(this.#headers.host)
  }
}

/** The entries that proxies wrote, the nearest one last. */
interface Trail {
  readonly addresses: readonly string[]
  readonly protocols: readonly string[]
  readonly hosts: readonly string[]
}

/** Ranges by their usual names: see `--trusted-proxies`. */
export const NEARBY_PROXIES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/** Maximum proxies in a row. A header may name thousands. */
const MAX_PROXIES = 16
/** Maximum characters of a host; a DNS name has at most 253. */
const MAX_HOST = 260

/** Returns whether a text is an address, a range such as `10.0.0.0/8`, or the name of ranges. */
export function isProxyRange(text: string): boolean {
  // The library would treat a bare number, which other programs use as a count of proxies, as an address.
  if (/^\d*$/.test(text)) return false
  try {
    proxyAddr.compile(text)
    return true
  } catch {
    return false
  }
}

/** Maximum addresses whose result is cached. */
const MAX_KNOWN = 1000
/** Maximum characters of a cached address; only one with a zone name is longer. */
const LONGEST_KNOWN = 45

function testOf(ranges: readonly string[]): (address: string) => boolean {
  const trust = proxyAddr.compile([...ranges])
  const known = new Map<string, boolean>()
  return (address) => {
    const before = known.get(address)
    if (before !== undefined) return before
    const isIn = trust(address, 0)
    if (known.size >= MAX_KNOWN) known.clear()
    if (address.length <= LONGEST_KNOWN) known.set(address, isIn)
    return isIn
  }
}

const compiled = new WeakMap<readonly string[], (address: string) => boolean>()

/**
 * Returns whether an address is in one of the ranges.
 * @param ranges see `isProxyRange`; compiled once per list
 */
export function isInRanges(ranges: readonly string[], address: string): boolean {
  let test = compiled.get(ranges)
  if (!test) {
    test = testOf(ranges)
    compiled.set(ranges, test)
  }
  return isIP(address) !== 0 && test(address)
}

/**
 * Returns whether a request was certainly sent from one of the ranges. The claim of a proxy that is trusted only by default
 * counts only if the proxy itself is in the ranges too, because any machine of a private network could make it.
 */
export function isSentFrom(ranges: readonly string[], sent: SenderAddress): boolean {
  const { address, unnamedProxy } = sent
  return isInRanges(ranges, address) && (unnamedProxy === null || isInRanges(ranges, unnamedProxy))
}

/** Returns the sender for an error text, with the proxy that must be configured if there is one. */
export function senderText({ address, unnamedProxy }: SenderAddress): string {
  if (unnamedProxy === null) return address
  return `${address} by the proxy ${unnamedProxy}, which --trusted-proxies does not name`
}

/**
 * The key under which a request caches its result, because several callers need it. A member is cheaper than a map of all
 * requests.
 */
const SENT = Symbol('sent')

/**
 * Returns the function by which the whole server determines the sender of a request. Headers that name another client, protocol
 * or host count only when a trusted proxy sends them, because any other sender could claim anything.
 * @param trusted see `isProxyRange`; an empty list trusts none
 * @param isNamed whether the operator has configured them; otherwise they are the default ones
 * @returns returns the same result for a request each time, also after the client has disconnected
 */
export function trustProxies(trusted: readonly string[], isNamed: boolean): (request: IncomingMessage) => SentRequest {
  const read = reader(testOf(trusted), isNamed)
  return (request: IncomingMessage & { [SENT]?: SentRequest }) => {
    request[SENT] ??= read(request)
    return request[SENT]
  }
}

function reader(isTrusted: (address: string) => boolean, isNamed: boolean): (request: IncomingMessage) => SentRequest {
  return ({ headers, socket }) => {
    const protocol = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
    const direct = new Direct(plainAddress(socket.remoteAddress ?? ''), protocol, headers)
    if (!hasTrail(headers) || direct.address === '' || !isTrusted(direct.address)) return direct
    const trail = trailOf(headers)
    if (!trail) return direct
    const { address, proxies } = follow(trail.addresses, direct.address, isTrusted)
    return {
      address,
      unnamedProxy: isNamed ? null : direct.address,
      isForwardedByUnnamed: !isNamed,
      protocol: protocolOf(writtenBy(trail.protocols, proxies)),
      host: hostOf(writtenBy(trail.hosts, proxies)) ?? direct.host,
    }
  }
}

function hasTrail(headers: IncomingMessage['headers']): boolean {
  return (
    headers['x-forwarded-for'] !== undefined ||
    headers['x-forwarded-proto'] !== undefined ||
    headers['x-forwarded-host'] !== undefined ||
    headers.forwarded !== undefined
  )
}

/** Headers by which proxies and tunnels show that they forwarded a request, besides those that name the client. */
const SIGNS_OF_PROXIES = ['via', 'x-real-ip', 'cf-connecting-ip'] as const

function isForwarded(headers: IncomingMessage['headers']): boolean {
  return hasTrail(headers) || SIGNS_OF_PROXIES.some((name) => headers[name] !== undefined)
}

/**
 * Reads the proxy headers. `Forwarded` counts only without the older headers: most proxies write those, and forward a `Forwarded`
 * header from the client unchanged.
 */
function trailOf(headers: IncomingMessage['headers']): Trail | null {
  const addresses = headers['x-forwarded-for']
  const protocols = headers['x-forwarded-proto']
  const hosts = headers['x-forwarded-host']
  if (addresses !== undefined || protocols !== undefined || hosts !== undefined) {
    return { addresses: listOf(addresses), protocols: listOf(protocols), hosts: listOf(hosts) }
  }
  return headers.forwarded === undefined ? null : trailOfForwarded(headers.forwarded)
}

function trailOfForwarded(header: string): Trail | null {
  try {
    const steps = parseForwarded(header)
    const all = (name: string) => steps.map((step) => step[name] ?? '')
    return { addresses: all('for'), protocols: all('proto'), hosts: all('host') }
  } catch {
    return null
  }
}

function listOf(header: string | string[] | undefined): readonly string[] {
  return header === undefined ? [] : String(header).split(',').slice(-MAX_PROXIES).map(trimmed)
}

function trimmed(item: string): string {
  return item.trim()
}

/** Goes back from proxy to proxy while they are trusted: entries beyond may be forged. */
function follow(addresses: readonly string[], nearest: string, isTrusted: (address: string) => boolean) {
  let address = nearest
  let proxies = 0
  for (const named of addresses.slice(-MAX_PROXIES).reverse()) {
    if (!isTrusted(address)) break
    const next = addressOf(named)
    proxies++
    if (next === null) break
    address = next
  }
  return { address, proxies: Math.max(proxies, 1) }
}

/** Returns the entry of the outermost trusted proxy. A proxy that replaced the entries of others has left a single one. */
function writtenBy(entries: readonly string[], proxies: number): string | undefined {
  return entries[Math.max(0, entries.length - proxies)]
}

/** Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; null for `unknown`, `_hidden` and invalid texts. */
function addressOf(named: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(named)?.[1] ?? named.replace(/^([\d.]+):\d+$/, '$1')
  return isIP(bare) ? plainAddress(bare) : null
}

/** Returns an IPv4 address in its own form, also if an IPv6 socket reports it. */
export function plainAddress(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address
}

function protocolOf(named: string | undefined): SentRequest['protocol'] {
  switch (named?.toLowerCase()) {
    case 'https':
    case 'wss':
      return 'https'
    case 'http':
    case 'ws':
      return 'http'
    default:
      return null
  }
}

/** Returns a valid host, or null. A host becomes part of URLs, so characters that could change their meaning are rejected. */
function hostOf(named: string | undefined): string | null {
  if (!named || named.length > MAX_HOST) return null
  return /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(named) && URL.canParse(`http://${named}`) ? named : null
}
