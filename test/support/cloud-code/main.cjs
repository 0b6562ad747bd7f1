/**
 * An app's web process as its developers would write it: the official SDK for cloud code, and the app's own code, whose
 * file is the first argument. That finds the SDK as `AV`.
 */
const { createServer } = require('node:http')
const AV = require('leanengine')

AV.init({
  appId: process.env.LEANCLOUD_APP_ID,
  appKey: process.env.LEANCLOUD_APP_KEY,
  masterKey: process.env.LEANCLOUD_APP_MASTER_KEY,
  hookKey: process.env.LEANCLOUD_APP_HOOK_KEY,
})
globalThis.AV = AV
require(process.argv[2])

const answer = AV.express()
const server = createServer((request, response) => {
  answer(request, response, () => response.writeHead(404).end())
})
// An idle connection is for its client to close: a call that is on its way just then would be lost.
server.keepAliveTimeout = 0
server.listen(Number(process.env.LEANCLOUD_APP_PORT))
