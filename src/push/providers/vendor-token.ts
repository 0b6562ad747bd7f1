import type { DeliveryResult } from './vendor-provider.ts'
import { type Failure, isFailure, unlessAborted } from './vendor-request.ts'

/** Milliseconds before its expiry at which a token is replaced; a tenth of its lifetime if that is less. */
const MARGIN = 5 * 60 * 1000
const LONGEST = 24 * 60 * 60 * 1000

/** A vendor's access token, which is sent with each request. */
export interface AccessToken {
  readonly value: string
  /** Milliseconds from now. */
  readonly lifetime: number
}

/** The vendor reports that the token is invalid. `invalid` is the failure if a new token is rejected too. */
export interface InvalidToken {
  readonly invalid: Failure
}

export interface VendorToken {
  /**
   * Calls `send` with a token, and once more with a new one when it reports the token as invalid.
   * @returns the result of `send`; without a token, the failure for all devices
   */
  use(send: (token: string) => Promise<DeliveryResult | InvalidToken>, signal: AbortSignal): Promise<DeliveryResult>
}

interface Held {
  readonly token: Promise<AccessToken | Failure>
  /** Milliseconds since the epoch; Infinity while the token is being fetched. */
  until: number
}

/**
 * Returns the access token of one set of credentials. It is fetched on first use, once for all concurrent callers, and kept until
 * shortly before it expires.
 */
export function vendorToken(fetchToken: () => Promise<AccessToken | Failure>, now = Date.now): VendorToken {
  let held: Held | null = null

  function hold(): Held {
    if (held && held.until > now()) return held
    const fetched: Held = { token: fetchToken(), until: Number.POSITIVE_INFINITY }
    held = fetched
    void fetched.token.then((answer) => {
      if (!isFailure(answer)) fetched.until = now() + usableFor(answer.lifetime)
      else if (held === fetched) held = null
    })
    return fetched
  }

  return {
    async use(send, signal) {
      for (let attempt = 1; ; attempt++) {
        const holding = hold()
        const token = await unlessAborted(holding.token, signal)
        if (isFailure(token)) return { rest: token }
        const said = await send(token.value)
        if (!('invalid' in said)) return said
        // A concurrent call may have replaced it already.
        if (held === holding) held = null
        if (attempt === 2) return { rest: said.invalid }
      }
    },
  }
}

function usableFor(lifetime: number): number {
  const time = Math.min(Math.max(lifetime, 0), LONGEST)
  return time - Math.min(MARGIN, time / 10)
}
