import { ok } from '../call.ts'
import { openRoute } from '../route.ts'

/** GET /1.1/date — returns the server's time. Some SDKs request it without any credentials (protocol/conventions, Requests). */
export const date = openRoute({
  method: 'GET',
  path: '/1.1/date',
  handler: async () => ok({ __type: 'Date', iso: new Date().toISOString() }),
})
