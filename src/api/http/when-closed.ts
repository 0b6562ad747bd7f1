import type { ServerResponse } from 'node:http'

/** Does something once an answer is sent, or never will be: at once where that is so already. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done()
  else response.once('close', done)
}
