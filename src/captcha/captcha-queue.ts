import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { drawCaptcha } from './captcha-image.ts'

/** Maximum number of captchas that wait to be drawn. */
const WAITING = { atAddress: 100, ofApp: 300, inAll: 400 }

/** Maximum time that a captcha waits, in milliseconds. */
const TIMEOUT_MS = 5000

/** Creates the queue of captchas to be drawn, one per process, because they share its event loop. */
export function captchaQueue(): FairSemaphore {
  return new FairSemaphore({ slots: 1, waiting: WAITING, timeoutMs: TIMEOUT_MS })
}

/**
 * Draws a captcha; see `drawCaptcha`. The largest take some milliseconds of the event loop, so each iteration draws at
 * most one, round robin between apps, addresses and users.
 * @throws ApiError 429 or 503 when too many wait; 499 when the client disconnected
 */
export async function drawQueued(
  queue: FairSemaphore,
  text: string,
  width: number,
  height: number,
  principal: Principal = SERVER,
): Promise<Buffer> {
  const wait = queue.acquire(principal)
  if (wait) await wait
  try {
    return drawCaptcha(text, width, height)
  } finally {
    void turnOfLoop().then(() => queue.release(principal))
  }
}
