import { askEngine, objectIn } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import { type EngineKeys, environmentHeaders, metadataHeaders } from './engine-headers.ts'

const METADATA = '/1.1/functions/_ops/metadatas'
const PING = '/__engine/1/ping'
/** Milliseconds in which an engine has to say what it has. */
const LIMIT = 5000

/** What an engine has. */
export interface EngineMetadata {
  /** The registered names of its functions and hooks. */
  readonly names: ReadonlySet<string>
  /** It knows the hook key; older ones want to see a signature beside it. */
  readonly knowsHookKey: boolean
  /**
   * It takes the user of one call for the user of the next on the same connection, where that has none. Engines for Python
   * do: they keep the user in the thread that serves a connection.
   */
  readonly oneCallPerConnection: boolean
}

export const NO_METADATA: EngineMetadata = { names: new Set(), knowsHookKey: true, oneCallPerConnection: true }

/**
 * Asks an engine what it has (protocol/cloud-code, Which functions and hooks exist).
 * @param url the engine's base URL
 * @throws EngineFailure when it does not say
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
  const { result } = objectIn(await askEngine({ method: 'GET', url: url + METADATA, headers, timeout: LIMIT }))
  if (!Array.isArray(result)) throw new EngineFailure('garbage', 'The engine named no list of functions.')
  return new Set(result.filter((name) => typeof name === 'string'))
}

/**
 * Engines that know the hook key name it among the headers that they allow (protocol/cloud-code, Signatures of older
 * SDKs).
 */
async function isHookKeyKnownAt(url: string, { id }: EngineKeys, production: boolean): Promise<boolean> {
  const headers = { 'X-LC-Id': id, ...environmentHeaders(production) }
  try {
    const answer = await askEngine({ method: 'OPTIONS', url: url + METADATA, headers, timeout: LIMIT })
    return /(^|[\s,])x-lc-hook-key($|[\s,])/i.test(answer.header('access-control-allow-headers') ?? '')
  } catch (error) {
    if (error instanceof EngineFailure) return false
    throw error
  }
}

/**
 * What an engine runs on, by its health check (protocol/cloud-code, Health check): `cpython-3.11.2`. One that does not
 * say has no SDK.
 */
async function isPythonAt(url: string): Promise<boolean> {
  try {
    const { runtime } = objectIn(await askEngine({ method: 'GET', url: url + PING, headers: {}, timeout: LIMIT }))
    return typeof runtime === 'string' && /python|pypy/i.test(runtime)
  } catch (error) {
    if (error instanceof EngineFailure) return false
    throw error
  }
}
