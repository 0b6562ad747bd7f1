import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import parseForwarded from 'forwarded-parse'

/** How a client sent a request, before a proxy passed it on. */
export interface SentRequest {
  /** IP address of the client; `''` once its socket is gone */
  readonly address: string
  /**
   * Address of the sender of the connection, where proxies that the operator has not named say another one in `address`:
   * whoever restricts addresses believes both or neither. null where `address` is certain.
   */
  readonly unnamedProxy: string | null
  /** null: a proxy passed it on and did not say */
  readonly protocol: 'http' | 'https' | null
  /** Name or address with a port where one was named; null when the request names none, or what is none */
  readonly host: string | null
}

/** From where a request was sent. */
export type SenderAddress = Pick<SentRequest, 'address' | 'unnamedProxy'>

/** A request that no proxy tells of. Few ask for its host, and every request comes by here. */
class Direct implements SentRequest {
  readonly address: string
  readonly unnamedProxy = null
  readonly protocol = 'http'
  readonly #host: string | undefined

  constructor(address: string, host: string | undefined) {
    this.address = address
    this.#host = host
  }

  get host(): string | null {
    return hostOf(this.#host)
  }
}

/** What proxies wrote, the nearest one last. */
interface Trail {
  readonly addresses: readonly string[]
  readonly protocols: readonly string[]
  readonly hosts: readonly string[]
}

/** Ranges by their usual names: see `--trusted-proxies`. */
export const NEARBY_PROXIES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/** Nobody has that many proxies in a row. A header may name thousands. */
const MAX_PROXIES = 16
/** A name of the DNS has 253 characters at most. */
const MAX_HOST = 260

/** @returns whether it is an address, a range such as `10.0.0.0/8`, or the name of some ranges */
export function isProxyRange(text: string): boolean {
  // The library takes a bare number, by which other programs mean a count of proxies, for an address.
  if (/^\d*$/.test(text)) return false
  try {
    proxyAddr.compile(text)
    return true
  } catch {
    return false
  }
}

/** Of so many addresses that asked before it is known whether they are in some ranges. */
const MAX_KNOWN = 1000
/** No address is longer, but for the name of a zone. */
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
 * Whether an address is in one of some ranges.
 * @param ranges see `isProxyRange`; the same list is read once
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
 * Whether a request was certainly sent from one of some ranges. What a proxy says that is trusted by default alone counts
 * only where the proxy itself is in them too: any machine of a private network could say it.
 */
export function isSentFrom(ranges: readonly string[], sent: SenderAddress): boolean {
  const { address, unnamedProxy } = sent
  return isInRanges(ranges, address) && (unnamedProxy === null || isInRanges(ranges, unnamedProxy))
}

/** Names the sender in a refusal, with what to do about it. */
export function senderText({ address, unnamedProxy }: SenderAddress): string {
  if (unnamedProxy === null) return address
  return `${address} by the proxy ${unnamedProxy}, which --trusted-proxies does not name`
}

/** What was found out of a request: some ask several times. A member of it, as a map of all requests is dearer. */
const SENT = Symbol('sent')

/**
 * Makes the one rule by which the whole server says who sent a request, and how. Headers that name another client,
 * protocol or host count only when a trusted proxy sends them; anybody else could claim anything.
 * @param trusted see `isProxyRange`; none for nobody
 * @param isNamed whether the operator has named them; else they are those of the default
 * @returns says the same of a request however often it is asked, also when the client has gone
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
    const direct = new Direct(plainAddress(socket.remoteAddress ?? ''), headers.host)
    if (!hasTrail(headers) || direct.address === '' || !isTrusted(direct.address)) return direct
    const trail = trailOf(headers)
    if (!trail) return direct
    const { address, proxies } = follow(trail.addresses, direct.address, isTrusted)
    return {
      address,
      unnamedProxy: isNamed ? null : direct.address,
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

/**
 * `Forwarded` counts only without the older headers: most proxies write those, and pass a `Forwarded` that they do not
 * know on from whoever made it up.
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

/** Goes back from proxy to proxy for as long as they are trusted: what lies beyond may be made up. */
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

/** What the outermost of the trusted proxies wrote. One that replaced what others wrote has left a single entry. */
function writtenBy(entries: readonly string[], proxies: number): string | undefined {
  return entries[Math.max(0, entries.length - proxies)]
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; null for `unknown`, `_hidden` and nonsense. */
function addressOf(named: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(named)?.[1] ?? named.replace(/^([\d.]+):\d+$/, '$1')
  return isIP(bare) ? plainAddress(bare) : null
}

/** An IPv4 address as such, also where a socket of IPv6 shows it. */
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

/** A host becomes part of URLs: what could change their meaning is none. */
function hostOf(named: string | undefined): string | null {
  if (!named || named.length > MAX_HOST) return null
  return /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(named) && URL.canParse(`http://${named}`) ? named : null
}
