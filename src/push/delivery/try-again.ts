/** A device that the provider did not take now. */
export interface Postponed {
  readonly id: string
  readonly reason: string
  /** Milliseconds that the provider asks for; null when it does not. */
  readonly after: number | null
}

/** Devices that are to be tried again at the same time. */
export interface Rest {
  readonly ids: readonly string[]
  readonly at: Date
}

export interface Attempts {
  /** How often the devices were tried before this time. */
  readonly attempt: number
  /** Milliseconds since the epoch, both. */
  readonly now: number
  readonly expiresAt: number | null
}

/** After so many failures of the provider a device is given up: after about 17 minutes. */
const MAX_ATTEMPTS = 10
const SECOND = 1000

/**
 * When devices are tried again: later and later, and not before the provider wants it. Those that have to wait long hold
 * up no others.
 * @returns the devices by their times, and those that are given up: tried often enough, or until then the push expires
 */
export function tryAgain(
  postponed: readonly Postponed[],
  { attempt, now, expiresAt }: Attempts,
): { readonly rests: readonly Rest[]; readonly givenUp: readonly Postponed[] } {
  const byDelay = new Map<number, string[]>()
  const givenUp: Postponed[] = []
  for (const device of postponed) {
    const delay = roundedUp(Math.max(SECOND * 2 ** attempt, device.after ?? 0))
    const isTooLate = expiresAt !== null && now + delay >= expiresAt
    if (attempt + 1 >= MAX_ATTEMPTS || isTooLate) givenUp.push(device)
    else if (byDelay.has(delay)) byDelay.get(delay)!.push(device.id)
    else byDelay.set(delay, [device.id])
  }
  const rests = [...byDelay].map(([delay, ids]) => ({ ids, at: new Date(now + delay) }))
  return { rests, givenUp }
}

/** To at most a quarter more, so that few times come of many: four between a number of seconds and its double. */
function roundedUp(delay: number): number {
  const seconds = Math.max(1, delay / SECOND)
  const step = 2 ** Math.floor(Math.log2(seconds)) / 4
  return Math.ceil(seconds / step) * step * SECOND
}
