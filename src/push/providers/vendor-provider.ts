import { chunks } from '../../bus/chunks.ts'
import { stoppable } from '../../http-client/stoppable.ts'
import type { Log } from '../../log.ts'
import type { Notification, Outcome, Provider } from './provider.ts'
import { type Failure, gone, isFailure } from './vendor-request.ts'

/** How a request ended: for the tokens that the vendor named, and for all others. */
export interface Verdict {
  readonly rest: Outcome
  readonly named?: ReadonlyMap<string, Outcome>
}

/** A notification in the form of a vendor. */
interface PreparedPush {
  /** So many devices in one request. */
  readonly most: number
  /** Never throws. */
  send(tokens: readonly string[], signal: AbortSignal): Promise<Verdict>
}

/** Makes the vendor's form of a notification; a failure where the vendor cannot bring it. */
export type Prepare = (notification: Notification) => PreparedPush | Failure

/** Vendors take up to 1000 devices in one request. */
const CHUNK_SIZE = 1000

/** Tokens of all vendors are of these characters. A comma would make several of one where they are sent as a list. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]{1,1024}$/
const NO_TOKEN = gone('the registration id is malformed')

/**
 * The provider of a vendor: each token is sent once, however many devices have it, in as few requests as the vendor
 * allows.
 * @param open gets a signal that fires when the provider is closed: what is under way is then to be tried again later
 */
export function vendorProvider(vendor: string, log: Log, open: (closed: AbortSignal) => Prepare): Provider {
  const closing = new AbortController()
  const prepare = open(closing.signal)
  return {
    chunkSize: CHUNK_SIZE,
    async send(notification, targets, signal) {
      const prepared = prepare(notification)
      if (isFailure(prepared)) return targets.map(() => prepared)
      const tokens = new Set(targets.map(({ token }) => token).filter((token) => TOKEN.test(token)))
      const outcomes = new Map<string, Outcome>()
      const sendChunk = async (chunk: readonly string[], until: AbortSignal) => {
        const { rest, named } = await prepared.send(chunk, until)
        if (rest.kind !== 'accepted') {
          const fields = { vendor, push: notification.id, devices: chunk.length }
          log.debug({ ...fields, outcome: rest.kind, reason: rest.reason }, 'push rejected by vendor')
        }
        for (const token of chunk) outcomes.set(token, named?.get(token) ?? rest)
      }
      await stoppable([signal, closing.signal], (until) =>
        Promise.all(chunks([...tokens], prepared.most).map((chunk) => sendChunk(chunk, until))),
      )
      return targets.map(({ token }) => outcomes.get(token) ?? NO_TOKEN)
    },
    close() {
      closing.abort()
    },
  }
}

/** The same outcome for some tokens, those aside that were not asked for. */
export function naming(tokens: readonly unknown[], outcome: Outcome): [string, Outcome][] {
  return tokens.filter((token) => typeof token === 'string').map((token) => [token, outcome])
}
