import { expect, it } from 'vitest'
import { stoppable } from './stoppable.ts'

const never = new AbortController().signal
/** Waits until the signal fires, and returns its reason. */
const fired = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    const end = () => resolve(Object(signal.reason).name)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })

it('stops the work on any of the signals, including one that has already fired', async () => {
  const stopping = new AbortController()
  const work = stoppable([never, stopping.signal], fired)
  stopping.abort(new Error('why'))
  expect(await work).toBe('AbortError')
  expect(await stoppable([never, stopping.signal], fired)).toBe('AbortError')
})

it('stops the work on a timeout signal', async () => {
  expect(await stoppable([never, AbortSignal.timeout(1)], fired)).toBe('AbortError')
})

it('does not abort the signal of finished work', async () => {
  const stopping = new AbortController()
  const signal = await stoppable([stopping.signal, AbortSignal.timeout(60_000)], async (signal) => signal)
  stopping.abort()
  expect(signal.aborted).toBe(false)
})
