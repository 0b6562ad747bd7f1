import { isIP, isIPv4 } from 'node:net'
import type { Principal } from '../scheduling/principal.ts'

/** An app's id, and the keys by which an engine authenticates the server. */
export interface EngineKeys {
  readonly id: string
  readonly appKey: string
  readonly masterKey: string
  readonly hookKey: string
}

/** The caller of a function, and its environment. */
export interface FunctionCaller {
  /** Whether it has the authority of the master key. */
  readonly master: boolean
  /** Whether it has the hook key. */
  readonly fromCloudCode?: boolean
  /** A session token as received; it has not been verified. */
  readonly session?: string | undefined
  /** Selects the engine for production; otherwise that for staging is called. */
  readonly production: boolean
  /** IP address of the client. */
  readonly clientAddress?: string | undefined
  /** The principal charged; undefined for calls by cloud code. */
  readonly principal?: Principal | undefined
}

type Headers = Readonly<Record<string, string>>

/**
 * Returns the headers of a hook (protocol/cloud-code, Headers).
 * @param clientAddress the address of the client that caused the call; omitted unless it is an IP address
 */
export function hookHeaders(keys: EngineKeys, production: boolean, clientAddress?: string): Headers {
  return {
    // Without it the Node engine reads an empty body.
    'Content-Type': 'application/json; charset=UTF-8',
    'X-LC-Id': keys.id,
    'X-LC-Key': keys.appKey,
    'X-LC-Hook-Key': keys.hookKey,
    ...environmentHeaders(production),
    ...clientHeaders(clientAddress),
  }
}

/** Returns the headers of a function call (protocol/cloud-code, What is forwarded). */
export function functionHeaders(keys: EngineKeys, call: FunctionCaller): Headers {
  const { 'X-LC-Hook-Key': hookKey = '', ...headers } = hookHeaders(keys, call.production, call.clientAddress)
  return {
    ...headers,
    ...(call.master && { 'X-LC-Key': `${keys.masterKey},master` }),
    ...(call.fromCloudCode && { 'X-LC-Hook-Key': hookKey }),
    ...(call.session && { 'X-LC-Session': call.session }),
  }
}

/**
 * Returns the headers of a metadata request. Engines read the master key from different headers (protocol/cloud-code, Which
 * functions and hooks exist).
 */
export function metadataHeaders(keys: EngineKeys, production: boolean): Headers {
  return {
    'X-LC-Id': keys.id,
    'X-LC-Key': `${keys.masterKey},master`,
    'X-AVOSCloud-Master-Key': keys.masterKey,
    ...environmentHeaders(production),
  }
}

/**
 * Returns the headers of an environment. The protocol is always reported as HTTPS, because engines may redirect otherwise
 * (protocol/cloud-code, Headers).
 */
export function environmentHeaders(production: boolean): Headers {
  return { 'X-LC-Prod': production ? '1' : '0', 'X-Forwarded-Proto': 'https' }
}

function clientHeaders(clientAddress = ''): Headers {
  const address = clientAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(address) === 0) return {}
  return {
    'X-Real-IP': address,
    'X-Forwarded-For': address,
    // The Node engine fails on IPv6 addresses in it.
    ...(isIPv4(address) && { Forwarded: `for=${address};proto=https` }),
  }
}
