import { useSyncExternalStore } from 'react'
import { isBeingReloaded, isReachable } from '../api/reachable.ts'

/**
 * Whether a part of the console could not be loaded: a page that was open while the server was upgraded asks for files
 * that are there no more.
 */
let isOutdated = false
const listeners = new Set<() => void>()

// Vite tells of each import that fails.
addEventListener('vite:preloadError', () => void note())

async function note(): Promise<void> {
  // Pages say themselves that the server is not reached.
  if (!(await isReachable())) return
  // A page that is missing is looked for once more first (`pageCode`).
  await new Promise((resolve) => setTimeout(resolve, 0))
  if (isBeingReloaded()) return
  isOutdated = true
  for (const listener of listeners) listener()
}

export function useIsOutdated(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOutdated,
  )
}
