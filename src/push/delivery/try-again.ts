/** A device that the provider could not accept for now. */
export interface Postponed {
  readonly id: string
  readonly reason: string
  /** Delay in milliseconds that the provider requests; null when it does not. */
  readonly after: number | null
}

/** Devices that are retried at the same time. */
export interface Retry {
  readonly ids: readonly string[]
  readonly at: Date
}

export interface Attempts {
  /** Number of attempts before the current one. */
  readonly attempt: number
  /** `now` and `expiresAt` are milliseconds since the epoch. */
  readonly now: number
  readonly expiresAt: number | null
}

/** Maximum number of failed attempts, which take about 17 minutes, before a device is given up. */
const MAX_ATTEMPTS = 10
const SECOND = 1000

/**
 * Schedules the retries of devices, with exponential backoff and at the earliest when the provider allows. Devices with a long
 * delay do not delay the others.
 * @returns the devices by start time, and those given up: after the maximum of attempts, or when the push would have expired
 */
export function tryAgain(
  postponed: readonly Postponed[],
  { attempt, now, expiresAt }: Attempts,
): { readonly retries: readonly Retry[]; readonly givenUp: readonly Postponed[] } {
  const byDelay = new Map<number, string[]>()
  const givenUp: Postponed[] = []
  for (const device of postponed) {
    const delay = roundedUp(Math.max(SECOND * 2 ** attempt, device.after ?? 0))
    const isTooLate = expiresAt !== null && now + delay >= expiresAt
    if (attempt + 1 >= MAX_ATTEMPTS || isTooLate) givenUp.push(device)
    else if (byDelay.has(delay)) byDelay.get(delay)!.push(device.id)
    else byDelay.set(delay, [device.id])
  }
  const retries = [...byDelay].map(([delay, ids]) => ({ ids, at: new Date(now + delay) }))
  return { retries, givenUp }
}

/**
 * Rounds a delay up by at most a quarter, so that many delays share few start times: four between a number of seconds and its
 * double.
 */
function roundedUp(delay: number): number {
  const seconds = Math.max(1, delay / SECOND)
  const step = 2 ** Math.floor(Math.log2(seconds)) / 4
  return Math.ceil(seconds / step) * step * SECOND
}
