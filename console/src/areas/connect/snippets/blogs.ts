import { env, MASTER_KEY, type ServerAddress, type Snippet, single, yaml } from './snippet.ts'

/** Returns the snippets for comments and counters of blogs. */
export function blogs({ serverUrl, appId, appKey }: ServerAddress): Snippet[] {
  return [
    {
      label: 'Waline (.env)',
      code: `LEAN_ID=${env(appId)}
LEAN_KEY=${env(appKey)}
LEAN_MASTER_KEY=${MASTER_KEY}
LEAN_SERVER=${env(serverUrl)}`,
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
  app_id: ${yaml(appId)}
  app_key: ${yaml(appKey)}
  server_url: ${yaml(serverUrl)}`,
    },
    {
      label: 'Hexo Fluid (_config.fluid.yml)',
      code: `web_analytics:
  enable: true
  leancloud:
    app_id: ${yaml(appId)}
    app_key: ${yaml(appKey)}
    server_url: ${yaml(serverUrl)}`,
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
