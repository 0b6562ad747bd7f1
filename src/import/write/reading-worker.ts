// What the threads of `read-objects.ts` run.
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type DoneTask, type ReadingTask, readTask } from './read-task.ts'

export default function readObjects(task: ReadingTask): DoneTask {
  const done = readTask(task)
  // Handed over: it would be copied twice otherwise.
  const handed = { [transferableSymbol]: [done.packed.rows.buffer], [valueSymbol]: done }
  return move(handed as unknown as Parameters<typeof move>[0]) as unknown as DoneTask
}
