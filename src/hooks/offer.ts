import { askEngine, objectIn } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import { type EngineKeys, environmentHeaders, metadataHeaders } from './engine-headers.ts'

const METADATA = '/1.1/functions/_ops/metadatas'
/** Milliseconds in which an engine has to say what it has. */
const LIMIT = 5000

/** What an engine has. */
export interface Offer {
  /** The registered names of its functions and hooks. */
  readonly names: ReadonlySet<string>
  /** It knows the hook key; older ones want to see a signature beside it. */
  readonly knowsHookKey: boolean
}

export const NO_OFFER: Offer = { names: new Set(), knowsHookKey: true }

/**
 * Asks an engine what it has (spec/hooks, 2.2).
 * @param url the engine's base URL
 * @throws EngineFailure when it does not say
 */
export async function readOffer(url: string, keys: EngineKeys, production: boolean): Promise<Offer> {
  const [names, knowsHookKey] = await Promise.all([
    namesAt(url, keys, production),
    isHookKeyKnownAt(url, keys, production),
  ])
  return { names, knowsHookKey }
}

async function namesAt(url: string, keys: EngineKeys, production: boolean): Promise<ReadonlySet<string>> {
  const headers = metadataHeaders(keys, production)
  const { result } = objectIn(await askEngine({ method: 'GET', url: url + METADATA, headers, timeout: LIMIT }))
  if (!Array.isArray(result)) throw new EngineFailure('garbage', 'The engine named no list of functions.')
  return new Set(result.filter((name) => typeof name === 'string'))
}

/** Engines that know the hook key name it among the headers that they allow (spec/hooks, 7.2). */
async function isHookKeyKnownAt(url: string, { id }: EngineKeys, production: boolean): Promise<boolean> {
  const headers = { 'X-LC-Id': id, ...environmentHeaders(production) }
  try {
    const answer = await askEngine({ method: 'OPTIONS', url: url + METADATA, headers, timeout: LIMIT })
    return /(^|[\s,])x-lc-hook-key($|[\s,])/i.test(answer.headers.get('access-control-allow-headers') ?? '')
  } catch (error) {
    if (error instanceof EngineFailure) return false
    throw error
  }
}
