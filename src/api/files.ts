import { byteRoute } from './transfer/byte-route.ts'
import { downloadFile } from './transfer/download-file.ts'

/** GET /files/:appId/<key> — returns the bytes of a file (protocol/files, Download). */
export const download = byteRoute({
  methods: ['GET', 'HEAD'],
  path: '/files/:appId/*',
  handler: async (call) => {
    const { files } = await call.openApp(call.params.appId!)
    // A trailing slash does not affect the route, but is part of the key.
    const end = call.path.endsWith('/') ? '/' : ''
    return downloadFile(files, call.params['*']! + end, call)
  },
})
