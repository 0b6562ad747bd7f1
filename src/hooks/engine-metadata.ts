import { callEngine, objectIn } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import { type EngineKeys, environmentHeaders, metadataHeaders } from './engine-headers.ts'

const METADATA = '/1.1/functions/_ops/metadatas'
const PING = '/__engine/1/ping'
/** Time limit for metadata requests, in milliseconds. */
const LIMIT = 5000

/** The metadata of an engine. */
export interface EngineMetadata {
  /** The registered names of its functions and hooks. */
  readonly names: ReadonlySet<string>
  /** Whether it supports the hook key; older engines require a signature as well. */
  readonly knowsHookKey: boolean
  /**
   * Whether it uses the user of one call for the next call without a user on the same connection. Engines for Python do: they
   * keep the user in the thread of a connection.
   */
  readonly oneCallPerConnection: boolean
}

export const NO_METADATA: EngineMetadata = { names: new Set(), knowsHookKey: true, oneCallPerConnection: true }

/**
 * Reads the metadata of an engine (protocol/cloud-code, Which functions and hooks exist).
 * @param url the engine's base URL
 * @throws EngineFailure when the engine does not list its functions
 */
export async function readEngineMetadata(url: string, keys: EngineKeys, production: boolean): Promise<EngineMetadata> {
  const [names, knowsHookKey, oneCallPerConnection] = await Promise.all([
    namesAt(url, keys, production),
    isHookKeyKnownAt(url, keys, production),
    isPythonAt(url),
  ])
  return { names, knowsHookKey, oneCallPerConnection }
}

async function namesAt(url: string, keys: EngineKeys, production: boolean): Promise<ReadonlySet<string>> {
  const headers = metadataHeaders(keys, production)
  const { result } = objectIn(await callEngine({ method: 'GET', url: url + METADATA, headers, timeout: LIMIT }))
  if (!Array.isArray(result)) throw new EngineFailure('garbage', 'The engine must return a list of functions.')
  return new Set(result.filter((name) => typeof name === 'string'))
}

/**
 * Returns whether an engine supports the hook key. It then lists the key among its allowed headers (protocol/cloud-code,
 * Signatures of older SDKs).
 */
async function isHookKeyKnownAt(url: string, { id }: EngineKeys, production: boolean): Promise<boolean> {
  const headers = { 'X-LC-Id': id, ...environmentHeaders(production) }
  try {
    const answer = await callEngine({ method: 'OPTIONS', url: url + METADATA, headers, timeout: LIMIT })
    return /(^|[\s,])x-lc-hook-key($|[\s,])/i.test(answer.header('access-control-allow-headers') ?? '')
  } catch (error) {
    if (error instanceof EngineFailure) return false
    throw error
  }
}

/**
 * Returns whether an engine runs Python, by the runtime of its health check (protocol/cloud-code, Health check), such as
 * `cpython-3.11.2`. An engine without a runtime has no SDK.
 */
async function isPythonAt(url: string): Promise<boolean> {
  try {
    const { runtime } = objectIn(await callEngine({ method: 'GET', url: url + PING, headers: {}, timeout: LIMIT }))
    return typeof runtime === 'string' && /python|pypy/i.test(runtime)
  } catch (error) {
    if (error instanceof EngineFailure) return false
    throw error
  }
}
