import { type ServerAddress, type Snippet, single } from './snippet.ts'

/** Returns the snippets for JavaScript in browsers and Node. */
export function javascript({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    { label: 'npm', code: 'npm install leancloud-storage leancloud-realtime' },
    {
      label: 'leancloud-storage 4.x',
      code: `import AV from 'leancloud-storage'

AV.init({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  serverURL: ${single(serverUrl)},
})

const post = new AV.Object('Post')
post.set('title', 'Hello')
await post.save()`,
    },
    {
      label: 'leancloud-realtime 5.x',
      code: `import { Realtime, TextMessage } from 'leancloud-realtime'

const realtime = new Realtime({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  server: ${single(serverUrl)},
})

const tom = await realtime.createIMClient('Tom')
const conversation = await tom.createConversation({ members: ['Jerry'], name: 'Tom & Jerry', unique: true })
await conversation.send(new TextMessage('Hello'))`,
    },
    { label: 'leancloud-realtime 4.x', code: realtime4({ serverUrl, appId, appKey }) },
    {
      label: 'leancloud-storage 3.x',
      code: `const url = ${single(serverUrl)}
AV.init({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  serverURLs: { api: url, engine: url, push: url, stats: url, rtm: url },
})`,
    },
  ]
}

/** Returns the snippets for WeChat mini-programs, with builds that include no platform adapters. */
export function miniProgram({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      label: 'app.js',
      code: `const AV = require('./libs/av-live-query-core-min.js')
const adapters = require('./libs/leancloud-adapters-weapp.js')

AV.setAdapters(adapters)
AV.init({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  serverURL: ${single(serverUrl)},
})`,
    },
    {
      label: 'leancloud-realtime 5.x',
      code: `const { Realtime, setAdapters } = require('./libs/im.min.js')
const adapters = require('./libs/leancloud-adapters-weapp.js')

setAdapters(adapters)
const realtime = new Realtime({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  server: ${single(serverUrl)},
})`,
    },
  ]
}

/** Returns the code for version 4.x, which accepts a host and prepends https://. */
function realtime4({ serverUrl, appId, appKey }: ServerAddress): string {
  return `const realtime = new Realtime({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  server: ${single(new URL(serverUrl).host)},
})`
}
