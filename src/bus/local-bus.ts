import { createLog, type Log } from '../log.ts'
import type { Bus } from './bus.ts'
import { Subscriptions } from './subscriptions.ts'

/**
 * Creates the bus of an installation with one node: nothing leaves the process, so nothing is ever missed.
 * @param serverLog log for listeners that throw
 */
export function localBus(serverLog: Log = createLog('warn')): Bus {
  const log = serverLog.child({ component: 'bus' })
  const subscriptions = new Subscriptions(log)
  return {
    publish: async (topic, message) => subscriptions.deliver(topic, message),
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    subscribed: async () => {},
    connected: true,
    onGap: () => () => {},
    start: async () => {},
    stop: async () => {},
  }
}
