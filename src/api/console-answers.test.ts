import { expect, it } from 'vitest'
import { typeOf } from '../../test/console/schema-types.ts'
import { endpoints } from './endpoints.ts'
import { openApi } from './openapi.ts'

interface Operation {
  readonly summary: string
  readonly responses: {
    readonly '2XX': { readonly content: { readonly 'application/json': { readonly schema: object } } }
  }
}

const HEAD = `// Generated from the OpenAPI document of the management API by \`npm run types:console\`.

/** What each endpoint of the management API answers. */
export interface Answers {
`

/** What the console knows of the management API. `/api/{path}` passes on to endpoints of apps, which have no schemas. */
function answers(): string {
  const { paths } = openApi(endpoints, []) as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  }
  const members = Object.entries(paths)
    .filter(([path]) => !path.endsWith('/api/{path}'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary, responses }]) => {
        const { schema } = responses['2XX'].content['application/json']
        return `  /** ${summary} */\n  '${method.toUpperCase()} ${path}': ${typeOf({ ...schema }, '  ')}\n`
      }),
    )
  return `${HEAD}${members.join('\n')}}\n`
}

it('the console has the types of what the server answers', async () => {
  await expect(answers()).toMatchFileSnapshot('../../console/src/api/answers.ts')
})
