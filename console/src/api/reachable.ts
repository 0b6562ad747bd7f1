import { Problem } from './request.ts'

const REACHED_WITHIN_MS = 5000

let checking: Promise<boolean> | null = null
let isReloading = false

/** Whether the server answers now. What asks at the same time gets the same answer. */
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

/** Whether the page is being loaded again, because a part of it is missing. */
export function isBeingReloaded(): boolean {
  return isReloading
}

/**
 * Wraps the import of a page. Where the server is not reached, that is the problem; a part that is missing, as after an
 * upgrade, is looked for once more by loading the whole console again.
 */
export function pageCode<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return async () => {
    try {
      return await load()
    } catch (error) {
      // Without the browser's text, by which the router knows a missing part, and reloads the page offline too.
      if (!(await isReachable())) throw new Problem(0, null, 'The server does not answer.')
      const place = `tanstack_router_reload:${(error as Error).message}`
      if (sessionStorage.getItem(place) !== null) throw error
      sessionStorage.setItem(place, '1')
      isReloading = true
      location.reload()
      return new Promise<never>(() => {})
    }
  }
}
