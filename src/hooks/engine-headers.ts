import { isIP, isIPv4 } from 'node:net'
import type { Principal } from '../scheduling/principal.ts'

/** An app's id, and the keys by which an engine knows that its own service is calling. */
export interface EngineKeys {
  readonly id: string
  readonly appKey: string
  readonly masterKey: string
  readonly hookKey: string
}

/** Who calls a function, and where. */
export interface FunctionCaller {
  /** With the authority of the master key. */
  readonly master: boolean
  /** With the hook key. */
  readonly fromCloudCode?: boolean
  /** A session token as it came; nobody has looked whose it is. */
  readonly session?: string | undefined
  /** Else the engine for staging is called. */
  readonly production: boolean
  /** IP address of the client. */
  readonly clientAddress?: string | undefined
  /** The principal charged; none where cloud code calls. */
  readonly principal?: Principal | undefined
}

type Headers = Readonly<Record<string, string>>

/**
 * Headers of a hook (protocol/cloud-code, Headers).
 * @param clientAddress of the client that caused the call; what is no IP address is left out
 */
export function hookHeaders(keys: EngineKeys, production: boolean, clientAddress?: string): Headers {
  return {
    // Without it the Node engine sees an empty body.
    'Content-Type': 'application/json; charset=UTF-8',
    'X-LC-Id': keys.id,
    'X-LC-Key': keys.appKey,
    'X-LC-Hook-Key': keys.hookKey,
    ...environmentHeaders(production),
    ...clientHeaders(clientAddress),
  }
}

/** Headers of a function that is called (protocol/cloud-code, What is forwarded). */
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
 * Headers for asking what an engine has: engines differ in where they read the master key (protocol/cloud-code, Which
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
 * The protocol is said to be HTTPS even where it is not: else engines may redirect to it (protocol/cloud-code,
 * Headers).
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
    // The Node engine fails on IPv6 in it.
    ...(isIPv4(address) && { Forwarded: `for=${address};proto=https` }),
  }
}
