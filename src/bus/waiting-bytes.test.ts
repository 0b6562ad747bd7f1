import { expect, it } from 'vitest'
import { WaitingBytes } from './waiting-bytes.ts'

function deferred() {
  let resolve = () => {}
  let reject = (_: Error) => {}
  const promise = new Promise<void>((ok, fail) => {
    resolve = ok
    reject = fail
  })
  return { promise, resolve, reject }
}

it('rejects messages beyond the maximum, until waiting ones have been sent or have failed', async () => {
  const waiting = new WaitingBytes(100)
  const [first, second] = [deferred(), deferred()]
  let sent = 0
  const send = (bytes: number, until: Promise<void>) =>
    waiting.during(bytes, () => {
      sent++
      return until
    })
  const one = send(60, first.promise)
  const two = send(40, second.promise)
  await expect(send(1, Promise.resolve())).rejects.toThrow(/More than 100 bytes/)
  expect(sent).toBe(2)
  first.resolve()
  await one
  await send(60, Promise.resolve())
  second.reject(new Error('away'))
  await expect(two).rejects.toThrow('away')
  await send(100, Promise.resolve())
  expect(sent).toBe(4)
})

it('sends a message of any size while nothing waits, and begins to send at once', () => {
  let sent = 0
  void new WaitingBytes(100).during(1000, async () => void sent++)
  expect(sent).toBe(1)
})
