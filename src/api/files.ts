import { byteRoute } from './transfer/byte-route.ts'
import { downloadFile } from './transfer/download-file.ts'

/** GET /files/:appId/<key> — the bytes of a file (protocol/files, Download). */
export const download = byteRoute({
  methods: ['GET', 'HEAD'],
  path: '/files/:appId/*',
  handler: async (call) => {
    const { files } = await call.openApp(call.params.appId!)
    // A trailing slash makes no difference to which route is found, but to which key is meant.
    const end = call.path.endsWith('/') ? '/' : ''
    return downloadFile(files, call.params['*']! + end, call)
  },
})
