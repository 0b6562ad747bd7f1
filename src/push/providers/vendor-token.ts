import type { Verdict } from './vendor-provider.ts'
import { type Failure, isFailure, unlessAborted } from './vendor-request.ts'

/** Milliseconds; a token is replaced so long before it runs out, or a tenth of its time where that is less. */
const MARGIN = 5 * 60 * 1000
const LONGEST = 24 * 60 * 60 * 1000

/** What a vendor hands out for credentials, to be shown with each request. */
export interface AccessToken {
  readonly value: string
  /** Milliseconds from now. */
  readonly lifetime: number
}

/** The vendor says that the token is not valid; the failure is what that comes to when a new one is not valid either. */
export interface InvalidToken {
  readonly invalid: Failure
}

export interface VendorToken {
  /**
   * Calls `send` with a token; with a new one once more when it says that the token is not valid.
   * @returns what `send` said, or for all devices why there is no token
   */
  use(send: (token: string) => Promise<Verdict | InvalidToken>, signal: AbortSignal): Promise<Verdict>
}

interface Held {
  readonly token: Promise<AccessToken | Failure>
  /** Milliseconds since the epoch. */
  until: number
}

/**
 * The access token of one set of credentials: fetched when it is first needed, once for all who wait for it, and kept
 * until shortly before it runs out.
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
        // Others may have replaced it already.
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
