import { expect, it } from 'vitest'
import { typeOf } from '../../test/console/schema-types.ts'
import { endpoints } from './endpoints.ts'
import { openApi } from './openapi.ts'

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: { readonly [name: string]: unknown } } }
}

interface Operation {
  readonly summary: string
  readonly requestBody?: Content
  readonly responses: { readonly '2XX': Content }
}

const HEAD = '// Generated from the OpenAPI document of the management API by `npm run types:console`.'

/**
 * Returns the types of the management API for the console. `/api/{path}` forwards to endpoints of apps, which have no
 * schemas.
 */
function types(): string {
  const { paths, components } = openApi(endpoints, []) as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
    readonly components: { readonly schemas: { readonly [name: string]: { readonly [name: string]: unknown } } }
  }
  const operations = Object.entries(paths)
    .filter(([path]) => !path.endsWith('/api/{path}'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        endpoint: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    )
  const member = ({ endpoint, operation: { summary } }: (typeof operations)[number], { content }: Content) =>
    `  /** ${summary} */\n  '${endpoint}': ${typeOf(content['application/json'].schema, '  ')}\n`
  const shapes = Object.entries(components.schemas).map(([name, shape]) => `export type ${name} = ${typeOf(shape)}\n`)
  const answers = operations.map((one) => member(one, one.operation.responses['2XX']))
  const bodies = operations.flatMap((one) =>
    one.operation.requestBody ? [member(one, one.operation.requestBody)] : [],
  )
  return `${HEAD}

${shapes.join('\n')}
/** What each endpoint of the management API answers. */
export interface Answers {
${answers.join('\n')}}

/** The body that each endpoint of the management API takes, of those that take one. */
export interface Bodies {
${bodies.join('\n')}}
`
}

it('matches the types of the console with the schemas of the server', async () => {
  await expect(types()).toMatchFileSnapshot('../../console/src/api/answers.ts')
})
