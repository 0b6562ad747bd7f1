import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { FairTurns } from '../turns/fair-turns.ts'
import { type Party, SERVER } from '../turns/party.ts'
import { drawCaptcha } from './captcha-image.ts'

/** How many may wait for their picture. */
const WAITING = { atAddress: 100, ofApp: 300, inAll: 400 }

/** How long one waits at most, in milliseconds. */
const PATIENCE = 5000

/** Makes the queue of captchas to be drawn, one for a process, as the event loop is. */
export function captchaQueue(): FairTurns {
  return new FairTurns({ places: 1, waiting: WAITING, patience: PATIENCE })
}

/**
 * Draws a captcha; see `drawCaptcha`. The largest take some milliseconds of the event loop, so each turn of the loop draws
 * one at most, and apps, addresses and users take turns.
 * @throws ApiError 429 or 503 when too many wait; 499 when the party went away
 */
export async function drawInTurn(
  queue: FairTurns,
  text: string,
  width: number,
  height: number,
  party: Party = SERVER,
): Promise<Buffer> {
  const turn = queue.begin(party)
  if (turn) await turn
  try {
    return drawCaptcha(text, width, height)
  } finally {
    void turnOfLoop().then(() => queue.end(party))
  }
}
