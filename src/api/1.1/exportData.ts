import { parseExportRequest } from '../../export/export-request.ts'
import type { ExportState } from '../../export/export-table.ts'
import { downloadLink } from '../../export/exports.ts'
import { type Call, FileBody, ok } from '../call.ts'
import { typedFields } from '../request-fields.ts'
import { masterRoute, openRoute, type Route } from '../route.ts'

/** Exports of an app's data (protocol/storage, Export). */
export const exportData: readonly Route[] = [
  masterRoute({
    method: 'POST',
    path: '/1.1/exportData',
    rate: 'writes',
    handler: async (call) => {
      const request = parseExportRequest(typedFields(call.parameters, { from_date: 'json', to_date: 'json' }))
      return ok(taskOf(call, await call.server.exports.start(call.app, request, call.mailUrl)))
    },
  }),
  masterRoute({
    method: 'GET',
    path: '/1.1/exportData/:id',
    rate: 'reads',
    handler: async (call) => ok(taskOf(call, await call.server.exports.status(call.app.id, call.params.id!))),
  }),
  // The target of `download_url`: the link alone grants access, because it is also sent by mail.
  openRoute({
    method: 'GET',
    path: '/1.1/exportData/:appId/:secret/:id.tar.gz',
    handler: async ({ server, params }) => {
      const { path, size, name } = await server.exports.openDownload(params.appId!, params.id!, params.secret!)
      return { status: 200, body: new FileBody(path, size, 'application/gzip', name) }
    },
  }),
]

/** Returns the wire form of an export task (protocol/storage, Export). */
function taskOf(call: Call, state: ExportState): object {
  const task = { status: state.status, id: state.id, app_id: state.appId }
  switch (state.status) {
    case 'running':
      return task
    case 'done':
      return { ...task, download_url: downloadLink(call.baseUrl, state) }
    case 'failed':
      return { ...task, error: state.error }
  }
}
