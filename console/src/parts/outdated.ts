import { useSyncExternalStore } from 'react'
import { isBeingReloaded, isReachable } from '../api/reachable.ts'

/**
 * Whether a file of the console could not be loaded: a page that was open during a server upgrade requests files that no longer
 * exist.
 */
let isOutdated = false
const listeners = new Set<() => void>()

// Vite reports each failing import.
addEventListener('vite:preloadError', () => void note())

async function note(): Promise<void> {
  // Pages report an unreachable server themselves.
  if (!(await isReachable())) return
  // A missing page is first requested once more (`pageCode`).
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
