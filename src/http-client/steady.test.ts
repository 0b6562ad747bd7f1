import { describe, expect, it } from 'vitest'
import { steady } from './steady.ts'

const MINUTE = 60_000

/** Receives chunks of a size, each of which takes the sender and the receiver some time. @returns how many arrived */
async function receive(chunks: number, size: number, senderMs: number, receiverMs: number) {
  let time = 0
  let closed = false
  const body = async function* () {
    try {
      for (let sent = 0; sent < chunks; sent++) {
        time += senderMs
        yield Buffer.alloc(size)
      }
    } finally {
      closed = true
    }
  }
  let received = 0
  const failure = await (async () => {
    for await (const _ of steady(body(), () => time)) {
      received++
      time += receiverMs
    }
  })().catch((error: Error) => error.message)
  return { received, closed, failure }
}

describe('steady', () => {
  it('ends a body that arrives a byte at a time', async () => {
    const { received, closed, failure } = await receive(10_000, 1, 1000, 0)
    expect(failure).toMatch(/slower than 1 KB per second/)
    expect(closed).toBe(true)
    expect(received).toBeLessThan(100)
  })

  it('passes through a slow body that arrives at more than 1 KB a second', async () => {
    expect(await receive(600, 2048, 1000, 0)).toEqual({ received: 600, closed: true, failure: undefined })
  })

  it('does not count the time of a slow receiver', async () => {
    expect(await receive(50, 1, 1, 10 * MINUTE)).toEqual({ received: 50, closed: true, failure: undefined })
  })

  it('checks each minute separately', async () => {
    let sent = 0
    let time = 0
    const body = async function* () {
      yield Buffer.alloc(100 * 1024 * 1024)
      for (; sent < 1000; sent++) {
        time += MINUTE / 10
        yield Buffer.alloc(1)
      }
    }
    const all = async () => {
      for await (const _ of steady(body(), () => time));
    }
    await expect(all()).rejects.toThrow(/slower than/)
    expect(sent).toBeLessThan(30)
  })
})
