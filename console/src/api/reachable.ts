import { Problem } from './request.ts'

/** Whether the server answers now. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/console/homeport.svg', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(5000) })
    return true
  } catch {
    return false
  }
}

/**
 * Wraps the import of a page: where the server is not reached, that is the problem, rather than a part of the console
 * that is missing.
 */
export function pageCode<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return async () => {
    try {
      return await load()
    } catch (error) {
      if (await isReachable()) throw error
      // Without the browser's text, by which the router knows a missing part: it would load the whole page anew.
      throw new Problem(0, null, 'The server does not answer.')
    }
  }
}
