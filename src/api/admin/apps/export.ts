import { errors } from '../../../errors.ts'
import { ExportStreams } from '../../../export/export-streams.ts'
import { exportArchive } from '../../../export/hosted-form/export-archive.ts'
import { BEGINNING, parsePosition } from '../../../export/hosted-form/position.ts'
import { ByteBody } from '../../call.ts'
import type { Server } from '../../server-context.ts'
import { adminByteRoute } from '../../transfer/admin-byte-route.ts'

const streamsOf = new WeakMap<Server, ExportStreams>()

/**
 * GET /admin/apps/:appId/export — returns all data of an app as a tar archive (docs/moving-in.md, Export). With
 * `from`, a `place` returned by an earlier export, it resumes there.
 */
export const adminExport = adminByteRoute({
  method: 'GET',
  path: '/admin/apps/:appId/export',
  need: 'change',
  summary: 'Returns all data of an app as a tar archive.',
  handler: async (call) => {
    const app = await call.server.running.open(call.params.appId!)
    if (!app) throw errors.notFound(`App '${call.params.appId!.slice(0, 60)}' not found.`)
    const from = new URLSearchParams(call.search).get('from')
    const position = from === null ? BEGINNING : parsePosition(from)
    const streams = streamsOf.get(call.server) ?? new ExportStreams()
    streamsOf.set(call.server, streams)
    const end = streams.begin(app.id)
    const archive = exportArchive(app, position, call.signal, call.server.log)
    archive.once('close', end)
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${app.id}-export.tar"`,
      },
      body: new ByteBody(archive),
    }
  },
})
