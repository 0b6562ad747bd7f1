import { chunks } from '../../bus/chunks.ts'
import { stoppable } from '../../http-client/stoppable.ts'
import type { Log } from '../../log.ts'
import type { Notification, Outcome, Provider } from './provider.ts'
import { type Failure, gone, isFailure } from './vendor-request.ts'

/** The result of a request: outcomes of tokens that the vendor named, and one outcome for all others. */
export interface DeliveryResult {
  readonly rest: Outcome
  readonly named?: ReadonlyMap<string, Outcome>
}

/** A notification in a vendor's format. */
interface PreparedPush {
  /** Maximum devices per request. */
  readonly max: number
  /** Sends to tokens. Never throws. */
  send(tokens: readonly string[], signal: AbortSignal): Promise<DeliveryResult>
}

/** Converts a notification to the vendor's format; returns a failure if the vendor does not support it. */
export type Prepare = (notification: Notification) => PreparedPush | Failure

/** Vendors accept up to 1000 devices per request. */
const CHUNK_SIZE = 1000

/** Characters of all vendors' tokens. A comma would split a token where tokens are sent as a list. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]{1,1024}$/
const NO_TOKEN = gone('the registration id is malformed')

/**
 * Returns the provider of a vendor. Each token is sent once, even if several devices have it, in as few requests as the vendor
 * allows.
 * @param open gets a signal that aborts when the provider is closed; requests in progress then result in `later`
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
        Promise.all(chunks([...tokens], prepared.max).map((chunk) => sendChunk(chunk, until))),
      )
      return targets.map(({ token }) => outcomes.get(token) ?? NO_TOKEN)
    },
    close() {
      closing.abort()
    },
  }
}

/** Returns the same outcome for tokens from a response. Values that are not strings are ignored. */
export function naming(tokens: readonly unknown[], outcome: Outcome): [string, Outcome][] {
  return tokens.filter((token) => typeof token === 'string').map((token) => [token, outcome])
}
