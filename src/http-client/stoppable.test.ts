import { expect, it } from 'vitest'
import { stoppable } from './stoppable.ts'

const never = new AbortController().signal
/** Ends when the signal fires, with its reason. */
const fired = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    const end = () => resolve(Object(signal.reason).name)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })

it('any of the signals stops the work, also one that has fired before', async () => {
  const stopping = new AbortController()
  const work = stoppable([never, stopping.signal], fired)
  stopping.abort(new Error('why'))
  expect(await work).toBe('AbortError')
  expect(await stoppable([never, stopping.signal], fired)).toBe('AbortError')
})

it('the end of the time stops the work', async () => {
  expect(await stoppable([never, AbortSignal.timeout(1)], fired)).toBe('AbortError')
})

it('work that is done is not stopped any more', async () => {
  const stopping = new AbortController()
  const signal = await stoppable([stopping.signal, AbortSignal.timeout(60_000)], async (signal) => signal)
  stopping.abort()
  expect(signal.aborted).toBe(false)
})
