import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Need } from '../administrators/administrator.ts'
import type { AdminRoute, Description, Route } from './route.ts'
import type { ByteRoute } from './transfer/byte-route.ts'

type Json = { readonly [name: string]: unknown }

/** The permission required by an endpoint, as text. */
const WHO: { readonly [need in Need]: string } = {
  any: 'For all administrators.',
  see: 'For owners, and administrators and readers of the app.',
  change: 'For owners, and administrators of the app.',
  own: 'For owners only.',
}

const ERROR: Json = {
  description: 'What is wrong, and with which field.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['code', 'error'],
        properties: { code: { type: 'integer' }, error: { type: 'string' } },
      },
    },
  },
}

/** Named shapes (`z.….meta({ id })`), which the document contains once, in its components. */
type Shapes = Map<string, Json>

/**
 * Describes the management API as an OpenAPI 3.1 document, generated from the schemas by which its endpoints validate
 * requests.
 * @throws Error when two shapes have the same name
 */
export function openApi(routes: readonly Route[], byteRoutes: readonly ByteRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const shapes: Shapes = new Map()
  const add = (path: string, method: string, operation: Json) => {
    const template = templateOf(path)
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: { ...operation, parameters: parametersOf(path, operation) },
    }
  }
  for (const route of routes) {
    if (route.access === 'admin') add(route.path, route.method, operationOf(route, shapes))
    else if (route.access === 'anybody' && route.isManagement)
      add(route.path, route.method, openOperation(route, shapes))
  }
  for (const { path, methods, summary, isManagement } of byteRoutes) {
    if (isManagement) for (const method of methods) add(path, method, bytesOperation(method, summary))
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Homeport: management', version: '1' },
    security: [{ token: [] }, { session: [], csrf: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...shapes].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "The administrator's token, for scripts." },
        session: { type: 'apiKey', in: 'cookie', name: 'homeport_session' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
      },
    },
  }
}

function operationOf(route: AdminRoute, shapes: Shapes): Json {
  return { ...describedOperation(route, shapes), description: WHO[route.need] }
}

/** Describes an endpoint that starts a session, and therefore needs none. */
function openOperation(description: Description, shapes: Shapes): Json {
  return { ...describedOperation(description, shapes), security: [] }
}

function describedOperation({ summary, query, body, answer }: Description, shapes: Shapes): Json {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(query === undefined ? {} : { parameters: queryParameters(query, shapes) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(schemaOf(body, 'input', shapes)) } }),
    responses: {
      '2XX': { description: 'Done.', content: json(answer === undefined ? {} : schemaOf(answer, 'output', shapes)) },
      '4XX': ERROR,
    },
  }
}

function bytesOperation(method: string, summary: string | undefined): Json {
  const bytes = { content: { 'application/octet-stream': {} } }
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(method === 'GET' || method === 'HEAD' ? {} : { requestBody: bytes }),
    responses: { '2XX': { description: 'Done.', ...(method === 'GET' ? bytes : {}) }, '4XX': ERROR },
  }
}

function queryParameters(query: z.ZodObject, shapes: Shapes): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input', shapes) as {
    properties?: { readonly [name: string]: Json }
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** Returns the parameters of the path and of the operation. */
function parametersOf(path: string, operation: Json): readonly unknown[] {
  const inPath = [...path.matchAll(/:(\w+)|\*/g)].map(([, name = 'path']) => name)
  const own = (operation.parameters ?? []) as readonly unknown[]
  return [...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })), ...own]
}

/** Converts `/admin/apps/:appId` to `/admin/apps/{appId}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
}

/** Returns the JSON Schema of a shape; named shapes are added to `shapes`. Checks in code have no schema. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', shapes: Shapes): Json {
  const {
    $schema: _,
    $defs = {},
    ...completeSchema
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  })
  for (const [name, shape] of Object.entries($defs)) addShape(shapes, name, shape as Json)
  if (typeof completeSchema.id !== 'string') return withReferences(completeSchema) as Json
  addShape(shapes, completeSchema.id, completeSchema)
  return { $ref: `${COMPONENTS}${completeSchema.id}` }
}

const COMPONENTS = '#/components/schemas/'

function addShape(shapes: Shapes, name: string, { id: _, ...shape }: Json): void {
  const added = withReferences(shape) as Json
  const known = shapes.get(name)
  if (known && !isDeepStrictEqual(known, added)) throw new Error(`the name ${name} stands for two shapes`)
  shapes.set(name, added)
}

/** Makes references point to the components of the document instead of the definitions of one schema. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', COMPONENTS) : withReferences(value),
    ]),
  )
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}
