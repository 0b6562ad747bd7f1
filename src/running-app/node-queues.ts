import { captchaQueue } from '../captcha/captcha-queue.ts'
import { LongHistories } from '../messaging/messages/long-histories.ts'
import { LargeResults } from '../objects/reading/large-results.ts'
import type { FairTurns } from '../turns/fair-turns.ts'
import { openSliceQueues, type SliceQueues } from '../turns/in-slices.ts'

/** The queues that all apps of a node share, because they share its event loop and its memory. */
export interface NodeQueues {
  readonly captchas: FairTurns
  readonly histories: LongHistories
  readonly results: LargeResults
  readonly slices: SliceQueues
}

export function openNodeQueues(): NodeQueues {
  return {
    captchas: captchaQueue(),
    histories: new LongHistories(),
    results: new LargeResults(),
    slices: openSliceQueues(),
  }
}
