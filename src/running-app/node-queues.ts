import { captchaQueue } from '../captcha/captcha-queue.ts'
import { LongPages } from '../messaging/long-pages.ts'
import { LargeResults } from '../objects/large-results.ts'
import type { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { openSliceQueues, type SliceQueues } from '../scheduling/in-slices.ts'

/** The queues that all apps of a node share, because they share its event loop and its memory. */
export interface NodeQueues {
  readonly captchas: FairSemaphore
  readonly longPages: LongPages
  readonly results: LargeResults
  readonly slices: SliceQueues
}

export function openNodeQueues(): NodeQueues {
  return {
    captchas: captchaQueue(),
    longPages: new LongPages(),
    results: new LargeResults(),
    slices: openSliceQueues(),
  }
}
