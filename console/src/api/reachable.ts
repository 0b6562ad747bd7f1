import { Problem } from './request.ts'

const REACHED_WITHIN_MS = 5000

let checking: Promise<boolean> | null = null
let isReloading = false

/** Returns whether the server is reachable. Concurrent calls share one request. */
export function isReachable(): Promise<boolean> {
  checking ??= check().finally(() => {
    checking = null
  })
  return checking
}

async function check(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(REACHED_WITHIN_MS)
    await fetch('/console/homeport.svg', { method: 'HEAD', cache: 'no-store', signal })
    return true
  } catch {
    return false
  }
}

/** Returns whether the page is being reloaded because one of its files is missing. */
export function isBeingReloaded(): boolean {
  return isReloading
}

/**
 * Wraps the import of a page. An unreachable server is reported; a file that is missing, as after an upgrade, is requested once
 * more by reloading the whole console.
 */
export function pageCode<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return async () => {
    try {
      return await load()
    } catch (error) {
      // The browser's error text is omitted: the router would recognize a missing file by it, and reload the page offline too.
      if (!(await isReachable())) throw new Problem(0, null, 'The server is not responding.')
      const key = `tanstack_router_reload:${(error as Error).message}`
      if (sessionStorage.getItem(key) !== null) throw error
      sessionStorage.setItem(key, '1')
      isReloading = true
      location.reload()
      return new Promise<never>(() => {})
    }
  }
}
