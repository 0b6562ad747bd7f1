// The functions that run in the threads of `reading-threads.ts`.
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { GivenTexts } from './given-texts.ts'
import { type DoneMessages, packMessages } from './messaging/read-messages.ts'
import { type DoneTask, type ReadingTask, readTask } from './objects/read-task.ts'

export function readObjects(task: ReadingTask): DoneTask {
  const done = readTask(task)
  return handOver(done, done.packed.rows)
}

export function readMessages(texts: GivenTexts): DoneMessages {
  const done = packMessages(texts)
  return handOver(done, done.packed.rows)
}

/** Transfers the bytes with their buffer, which avoids copying them twice. */
function handOver<Done>(done: Done, bytes: Uint8Array): Done {
  const handed = { [transferableSymbol]: [bytes.buffer], [valueSymbol]: done }
  return move(handed as unknown as Parameters<typeof move>[0]) as unknown as Done
}
