import { MASTER_KEY, type Place, type Snippet, single } from './snippet.ts'

/** Comments and counters of blogs. */
export function blogs({ serverUrl, appId, appKey }: Place): Snippet[] {
  return [
    {
      label: 'Waline (.env)',
      code: `LEAN_ID=${appId}
LEAN_KEY=${appKey}
LEAN_MASTER_KEY=${MASTER_KEY}
LEAN_SERVER=${serverUrl}`,
    },
    {
      label: 'Valine 1.4+',
      code: `new Valine({
  el: '#vcomments',
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  serverURLs: ${single(serverUrl)},
})`,
    },
    {
      label: 'Hexo NexT (_config.next.yml)',
      code: `leancloud_visitors:
  enable: true
  app_id: ${appId}
  app_key: ${appKey}
  server_url: ${serverUrl}`,
    },
    {
      label: 'Hexo Fluid (_config.fluid.yml)',
      code: `web_analytics:
  enable: true
  leancloud:
    app_id: ${appId}
    app_key: ${appKey}
    server_url: ${serverUrl}`,
    },
    {
      label: 'Artitalk',
      code: `new Artitalk({
  appId: ${single(appId)},
  appKey: ${single(appKey)},
  serverURL: ${single(serverUrl)},
})`,
    },
  ]
}
