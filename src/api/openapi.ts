import { z } from 'zod'
import type { Need } from '../administrators/administrator.ts'
import type { AdminRoute, Description, Route } from './route.ts'
import type { ByteRoute } from './transfer/byte-route.ts'

type Json = { readonly [name: string]: unknown }

/** Who may call an endpoint, in words. */
const WHO: { readonly [need in Need]: string } = {
  any: 'Every administrator may ask.',
  see: 'For who may see the app: owners, and administrators and readers of the app.',
  change: 'For who may change the app: owners, and administrators of the app.',
  own: 'For owners alone.',
}

const ERROR: Json = {
  description: 'What was wrong, and with which field.',
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

/** The management API as an OpenAPI 3.1 document, made of the schemas by which its endpoints check what they are sent. */
export function openApi(routes: readonly Route[], byteRoutes: readonly ByteRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const add = (path: string, method: string, operation: Json) => {
    const place = templateOf(path)
    paths[place] = {
      ...paths[place],
      [method.toLowerCase()]: { ...operation, parameters: parametersOf(path, operation) },
    }
  }
  for (const route of routes) {
    if (route.access === 'admin') add(route.path, route.method, operationOf(route))
    else if (route.access === 'anybody' && route.isManagement) add(route.path, route.method, openOperation(route))
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
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "The administrator's token, for scripts." },
        session: { type: 'apiKey', in: 'cookie', name: 'homeport_session' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
      },
    },
  }
}

function operationOf(route: AdminRoute): Json {
  return { ...describedOperation(route), description: WHO[route.need] }
}

/** An endpoint that begins a session needs none. */
function openOperation(description: Description): Json {
  return { ...describedOperation(description), security: [] }
}

function describedOperation({ summary, query, body, answer }: Description): Json {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(query === undefined ? {} : { parameters: queryParameters(query) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: {
      '2XX': { description: 'Done.', content: json(answer === undefined ? {} : schemaOf(answer, 'output')) },
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

function queryParameters(query: z.ZodObject): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
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

/** Those of the path, and those that the operation has. */
function parametersOf(path: string, operation: Json): readonly unknown[] {
  const inPath = [...path.matchAll(/:(\w+)|\*/g)].map(([, name = 'path']) => name)
  const own = (operation.parameters ?? []) as readonly unknown[]
  return [...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })), ...own]
}

/** `/admin/apps/:appId` is `/admin/apps/{appId}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
}

/** Checks that are code have no schema; what they refuse is told by the error. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' })
  return rest
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}
