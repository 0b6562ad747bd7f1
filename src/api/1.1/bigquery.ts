import { errors } from '../../errors.ts'
import { type Route, route } from '../route.ts'

const PATH = '/1.1/bigquery/*'

/** Offline analysis, which the JavaScript SDK calls `AV.Insight`: not supported (protocol/storage, Old services). */
export const bigquery: readonly Route[] = (['GET', 'POST'] as const).map((method) =>
  route({
    method,
    path: PATH,
    rate: method === 'GET' ? 'queries' : 'writes',
    handler: async () => {
      throw errors.badArgument(
        'This server has no offline analysis (bigquery). Query the classes, or export them and analyze the export.',
      )
    },
  }),
)
