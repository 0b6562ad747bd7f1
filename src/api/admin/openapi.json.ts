import { z } from 'zod'
import { ok } from '../call.ts'
import { openApi } from '../openapi.ts'
import { adminRoute, type Route } from '../route.ts'
import type { ByteRoute } from '../transfer/byte-route.ts'

/**
 * GET /admin/openapi.json — describes the management API for developers and client generators.
 * @param routes returns all endpoints; called with the first request
 */
export function describeManagement(routes: () => readonly Route[], byteRoutes: () => readonly ByteRoute[]): Route {
  let document: object | undefined
  return adminRoute({
    method: 'GET',
    path: '/admin/openapi.json',
    need: 'any',
    summary: 'Describes the management API (OpenAPI 3.1).',
    answer: z.looseObject({}),
    handler: async () => {
      document ??= openApi(routes(), byteRoutes())
      return ok(document)
    },
  })
}
