import { errors } from '../../errors.ts'
import { pageSize } from '../../objects/query-parameters.ts'
import { deleteRecord, listRecords, readRecord, type ShownRecord } from '../../push/delivery/records.ts'
import { checkMayPush } from '../../push/request/admission.ts'
import { type Call, ok } from '../call.ts'
import { numberIn } from '../request-fields.ts'
import { type Route, route } from '../route.ts'

/** Notification records of pushes (protocol/push, Notification records). Open to clients if the app allows them to push. */
export const notifications: readonly Route[] = [
  route({
    method: 'GET',
    path: '/1.1/notifications',
    rate: 'queries',
    adminReadable: true,
    handler: async (call) => {
      checkMayPush(call.app.push, call.caller)
      const { parameters, app } = call
      return ok({ results: await listRecords(app.push, pageSize(parameters.limit), numberIn(parameters, 'skip') ?? 0) })
    },
  }),
  route({
    method: 'GET',
    path: '/1.1/notifications/:id',
    rate: 'reads',
    adminReadable: true,
    handler: async (call) => {
      checkMayPush(call.app.push, call.caller)
      return ok(await recordOf(call))
    },
  }),
  route({
    method: 'DELETE',
    path: '/1.1/notifications/:id',
    rate: 'writes',
    handler: async (call) => {
      checkMayPush(call.app.push, call.caller)
      const { app, params } = call
      if (!(await deleteRecord(app.push, params.id!))) throw missing(params.id!)
      return ok({})
    },
  }),
]

/** @throws ApiError 404 */
export async function recordOf({ app, params }: Call): Promise<ShownRecord> {
  const record = await readRecord(app.push, params.id!)
  if (!record) throw missing(params.id!)
  return record
}

function missing(id: string) {
  return errors.notFound(`Notification '${id.slice(0, 60)}' not found.`)
}
