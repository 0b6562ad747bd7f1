import { number, text } from '../../../database/decode-row.ts'
import type { ThreadedMessage } from './find-threads.ts'

/** The time of the last message of each conversation, in milliseconds. */
export interface LastTimes {
  readonly all: ReadonlyMap<string, number>
  /** Only of messages from sources without read marks. */
  readonly unmarked: ReadonlyMap<string, number>
}

const [CONVERSATION, TIME] = [text('conv_id'), number('ts')]

/** Collects the times of the last messages. */
export class LastTimesCollector implements LastTimes {
  readonly all = new Map<string, number>()
  readonly unmarked = new Map<string, number>()

  add({ rows, hasMarks }: ThreadedMessage): void {
    for (const row of rows) {
      const [convId, ts] = [CONVERSATION.read(row.conv_id), TIME.read(row.ts)]
      note(this.all, convId, ts)
      if (!hasMarks) note(this.unmarked, convId, ts)
    }
  }
}

function note(times: Map<string, number>, convId: string, ts: number): void {
  if ((times.get(convId) ?? -1) < ts) times.set(convId, ts)
}

export function lastTimesOf(messages: readonly ThreadedMessage[]): LastTimes {
  const times = new LastTimesCollector()
  for (const message of messages) times.add(message)
  return times
}
