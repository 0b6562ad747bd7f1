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
        'There is no offline analysis (bigquery) on this server. Query the classes, or export them and analyse the export.',
      )
    },
  }),
)
