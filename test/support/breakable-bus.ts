import type { Bus } from '../../src/bus/bus.ts'
import { localBus } from '../../src/bus/local-bus.ts'

/** A bus that can be disconnected from all its users. */
export interface BreakableBus {
  readonly bus: Bus
  breakOff(): void
  restore(): void
}

export function breakableBus(): BreakableBus {
  const bus = localBus()
  const gaps = new Set<() => void>()
  let connected = true
  const set = (value: boolean) => {
    connected = value
    for (const gap of gaps) gap()
  }
  return {
    bus: {
      ...bus,
      get connected() {
        return connected
      },
      publish: (topic, text) => (connected ? bus.publish(topic, text) : Promise.reject(new Error('cut off'))),
      onGap: (listener) => {
        gaps.add(listener)
        return () => void gaps.delete(listener)
      },
    },
    breakOff: () => set(false),
    restore: () => set(true),
  }
}
