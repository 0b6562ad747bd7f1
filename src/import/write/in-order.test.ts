import { expect, it } from 'vitest'
import { BatchOrder, type BatchSlot } from './in-order.ts'

const order = new BatchOrder()

/** Creates a batch whose work continues when the test says so. */
function batch(name: string, part: string) {
  let end!: (error?: Error) => void
  let slot!: BatchSlot
  const ending = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve())
  })
  const done = order.run(name, part, (given) => {
    slot = given
    return ending
  })
  done.catch(() => {})
  return { turn: slot, end, done }
}

/** Returns whether a promise is settled after all pending callbacks. */
async function isDone(promise: Promise<unknown> | null): Promise<boolean> {
  const open = Symbol('open')
  await new Promise(setImmediate)
  return (await Promise.race([promise, Promise.resolve(open)])) !== open
}

it('resolves `ready` when the batch before is done, and `near` when its rows are written', async () => {
  const [first, second, third] = [batch('a', 'Post'), batch('a', 'Post'), batch('a', 'Post')]
  expect(first.turn.near).toBeNull()
  expect(await isDone(first.turn.ready)).toBe(true)
  expect(await isDone(second.turn.near)).toBe(false)
  first.turn.wrote()
  expect(await isDone(second.turn.near)).toBe(true)
  expect(await isDone(second.turn.ready)).toBe(false)
  expect(await isDone(third.turn.near)).toBe(false)
  first.end()
  expect(await isDone(second.turn.ready)).toBe(true)
  expect(await isDone(third.turn.ready)).toBe(false)
  second.end()
  expect(await isDone(third.turn.near)).toBe(true)
  expect(await isDone(third.turn.ready)).toBe(true)
  third.end()
})

it('continues after a batch that fails before writing', async () => {
  const [first, second] = [batch('b', 'Post'), batch('b', 'Post')]
  first.end(new Error('the connection was lost'))
  await expect(first.done).rejects.toThrow('lost')
  expect(await isDone(second.turn.near)).toBe(true)
  expect(await isDone(second.turn.ready)).toBe(true)
  second.end()
})

it('makes a batch of another part wait for commits, and one of another import for nothing', async () => {
  const [first, second, other] = [batch('c', '_Conversation'), batch('c', 'messages'), batch('d', '_Conversation')]
  first.turn.wrote()
  expect(second.turn.near).toBeNull()
  expect(await isDone(second.turn.ready)).toBe(false)
  expect(await isDone(other.turn.ready)).toBe(true)
  for (const one of [first, second, other]) one.end()
})

it('keeps no state of an import whose batches are done', async () => {
  const first = batch('e', 'Post')
  first.end()
  await first.done
  await new Promise(setImmediate)
  expect(batch('e', 'Post').turn.near).toBeNull()
})
