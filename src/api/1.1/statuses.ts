import { postStatus } from '../../social/statuses/post-status.ts'
import { STATUS } from '../../social/statuses/statuses.ts'
import { type Call, created } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { type Route, route } from '../route.ts'
import { objectRoutes } from './classes.ts'

const PATH = '/1.1/statuses'

/** Sent statuses are objects of `_Status`; sending a status also puts it into inboxes (protocol/social, Statuses). */
export const statuses: readonly Route[] = [
  route({ method: 'POST', path: PATH, rate: 'writes', handler: send }),
  ...objectRoutes(PATH, () => STATUS).filter(({ method }) => method === 'GET' || method === 'DELETE'),
]

async function send({ app, parameters, caller }: Call) {
  const request = typedFields(parameters, { data: 'json', query: 'json', source: 'json' })
  const { id, createdAt } = await postStatus(app.statuses, request, caller)
  return created(STATUS, id, { objectId: id, createdAt })
}
