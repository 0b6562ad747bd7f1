import type { Directory } from './directory.ts'
import { FirstTexts } from './first-texts.ts'
import { NodeState } from './node-state.ts'

const EMPTY = new NodeState()

/** Creates the directory of an installation with one node. */
export function localDirectory(): Directory {
  const apps = new Map<string, NodeState>()
  const of = (appId: string) => apps.get(appId) ?? EMPTY
  const change = (appId: string): NodeState => {
    const app = apps.get(appId) ?? new NodeState()
    apps.set(appId, app)
    return app
  }
  return {
    online: (appId, clientId) => void change(appId).clients.add(clientId),
    offline: (appId, clientId) => void of(appId).clients.delete(clientId),
    whoIsOnline: async (appId, clientIds) => new Set(clientIds.filter((id) => of(appId).clients.has(id))),
    countOnline: async (appId) => of(appId).clients.size,
    listOnline: async (appId, after, limit) => {
      const first = new FirstTexts(after, limit)
      for (const clientId of of(appId).clients) first.add(clientId)
      return first.take()
    },
    setCount: (appId, key, count) => change(appId).setCount(key, count),
    sumCount: async (appId, key) => of(appId).counts.get(key) ?? 0,
    entered: () => {},
    left: () => {},
    someOnOtherNodes: async () => [],
    claim: async (appId, name, holder) => change(appId).claim(name, holder),
    release: async (appId, name, holder) => of(appId).release(name, holder),
    holder: async (appId, name) => of(appId).claims.get(name) ?? null,
    connected: true,
    start: async () => {},
    stop: async () => {},
  }
}
