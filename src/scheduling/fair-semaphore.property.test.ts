import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../test/support/runs.ts'
import { FairSemaphore } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

const SLOTS = 6

/** Events: a principal arrives, a principal with a slot releases it, or a waiting principal disconnects. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ comes: fc.nat(2), address: fc.nat(3), user: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ ends: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ leaves: fc.nat() }) },
)

it('never grants more than its slots, leaves none free while a principal waits, and serves every principal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 200 }), async (events) => {
      const waiting = { atAddress: 20, ofApp: 40, inAll: 60 }
      const semaphore = new FairSemaphore({ slots: SLOTS, waiting, timeoutMs: 60_000 })
      const having: Principal[] = []
      const leaving = new Set<() => void>()
      const settled: Promise<void>[] = []
      const come = (app: number, address: number, user: number) => {
        const principal: Principal = {
          app: `app ${app}`,
          address: address === 0 ? '' : `192.0.2.${address}`,
          user: user === 0 ? '' : `user ${user}`,
          onDisconnect: (leave) => {
            leaving.add(leave)
            return () => leaving.delete(leave)
          },
        }
        const acquired = semaphore.acquire(principal)
        if (!acquired) return void having.push(principal)
        const refused = (error: { status: number }) => expect([429, 499, 503]).toContain(error.status)
        settled.push(acquired.then(() => void having.push(principal), refused))
      }
      for (const happening of events) {
        if ('comes' in happening) come(happening.comes, happening.address, happening.user)
        else if ('ends' in happening && having.length > 0) {
          semaphore.release(having.splice(happening.ends % having.length, 1)[0]!)
        } else if ('leaves' in happening && leaving.size > 0) [...leaving][happening.leaves % leaving.size]!()
        await new Promise(setImmediate)
        expect(semaphore.running).toBe(having.length)
        expect(semaphore.running).toBeLessThanOrEqual(SLOTS)
        expect(semaphore.waiting).toBe(leaving.size)
        // Each share allows at least one slot.
        if (semaphore.waiting > 0) expect(semaphore.running).toBeGreaterThan(0)
      }
      while (having.length > 0) {
        semaphore.release(having.pop()!)
        await new Promise(setImmediate)
      }
      await Promise.all(settled)
      expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
    }),
    runs(100),
  )
})
