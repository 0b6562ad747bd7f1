import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { byteEndpoints, endpoints } from './endpoints.ts'
import { openApi } from './openapi.ts'

const document = openApi(endpoints, byteEndpoints) as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly summary?: string } } }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)

describe('the description of the management API', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('has every endpoint below /admin, and none of the clients', () => {
    const managed = [...endpoints, ...byteEndpoints].filter(({ path }) => path.startsWith('/admin/'))
    expect(Object.keys(document.paths)).toHaveLength(new Set(managed.map(({ path }) => path)).size)
    expect(Object.keys(document.paths).every((path) => path.startsWith('/admin/'))).toBe(true)
  })

  it('has the answer of every endpoint, but for those of apps and of bytes', () => {
    const unknown = endpoints
      .filter((route) => route.access !== 'app' && route.path.startsWith('/admin/') && !route.answer)
      .map(({ path }) => path)
    expect(new Set(unknown)).toEqual(new Set(['/admin/apps/:appId/api/*']))
  })

  // An app's own endpoints are described elsewhere, and `/admin/apps/:appId/api` passes on to them.
  it.each(operations.filter(([name]) => !name.endsWith('/api/{path}')))(
    '%s says in a sentence what it does',
    (_name, operation) => {
      expect(operation.summary).toMatch(/^[A-Z].*\.$/)
    },
  )
})
