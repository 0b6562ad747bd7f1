import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { byteEndpoints, endpoints } from './endpoints.ts'
import { openApi } from './openapi.ts'

interface Operation {
  readonly summary?: string
  readonly requestBody?: unknown
  readonly responses: { readonly [status: string]: unknown }
}

const document = openApi(endpoints, byteEndpoints) as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly schemas: object }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)

/** Endpoints that need no body. */
const WITHOUT_BODY = [
  'POST /admin/logout',
  'POST /admin/administrators/:id/link',
  'POST /admin/alerts/test',
  'POST /admin/jobs/:id/retry',
  'POST /admin/apps/:appId/imports/:importId/end',
  'POST /admin/apps/:appId/moves/:moveId/stop',
  'POST /admin/apps/:appId/moves/:moveId/finish',
  'POST /admin/apps/:appId/pushes/:pushId/retry',
  'POST /admin/apps/:appId/engine/refresh',
  'POST /admin/apps/:appId/search/rebuild',
]

describe('the description of the management API', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('contains every endpoint below /admin, and no others', () => {
    const managed = [...endpoints, ...byteEndpoints].filter(({ path }) => path.startsWith('/admin/'))
    expect(Object.keys(document.paths)).toHaveLength(new Set(managed.map(({ path }) => path)).size)
    expect(Object.keys(document.paths).every((path) => path.startsWith('/admin/'))).toBe(true)
  })

  it('contains the response of every endpoint, except those of apps and of bytes', () => {
    const unknown = endpoints
      .filter((route) => route.access !== 'app' && route.path.startsWith('/admin/') && !route.answer)
      .map(({ path }) => path)
    expect(new Set(unknown)).toEqual(new Set(['/admin/apps/:appId/api/*']))
  })

  it('contains the body of every endpoint that changes data by one', () => {
    const changing = endpoints.filter(
      ({ method, access, path }) => access === 'admin' && /^(POST|PUT|PATCH)$/.test(method) && !path.endsWith('/api/*'),
    )
    const without = changing
      .filter((route) => route.access === 'admin' && !route.body)
      .map(({ method, path }) => `${method} ${path}`)
    expect(new Set(without)).toEqual(new Set(WITHOUT_BODY))
  })

  it('contains each shape shared by several endpoints once, under a name', () => {
    const locations = new Map<string, string[]>()
    const visit = (schema: unknown, location: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { type, properties } = schema as { readonly type?: unknown; readonly properties?: object }
      if (type === 'object' && Object.keys(properties ?? {}).length > 1) {
        const shape = JSON.stringify(schema)
        locations.set(shape, [...(locations.get(shape) ?? []), location])
      }
      for (const member of Object.values(schema)) visit(member, location)
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses, requestBody }] of Object.entries(methods)) {
        visit(responses['2XX'], `${method} ${path}`)
        visit(requestBody, `body of ${method} ${path}`)
      }
    }
    visit(document.components.schemas, 'components')
    expect([...locations].filter(([, found]) => found.length > 1)).toEqual([])
  })

  // The endpoints of apps, to which `/admin/apps/:appId/api` forwards, are described elsewhere.
  it.each(operations.filter(([name]) => !name.endsWith('/api/{path}')))(
    '%s has a one-sentence summary',
    (_name, operation) => {
      expect(operation.summary).toMatch(/^[A-Z].*\.$/)
    },
  )
})
