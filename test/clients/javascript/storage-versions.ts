import type { Work } from './environment.ts'

/** A version of leancloud-storage still used by apps, and how to configure its server URL. */
export interface StorageVersion {
  readonly version: string
  /** 4.7 counts as 4. */
  readonly major: 1 | 2 | 3 | 4
  /** Its name in `package.json`. */
  readonly name: string
  readonly init: Work
  /** The module to require in Node, including live queries where supported. */
  readonly node: string
  /** Additional preparation in Node. */
  readonly prepare?: (load: NodeJS.Require) => void
  /** The build for pages, loaded from a CDN or the app's own server. */
  readonly browser: string
  readonly miniProgram: string | null
}

/** The server URL must be set before `init`, which otherwise queries the router of the hosted service. */
const initByConfig: Work = (AV, { url, appId, appKey, masterKey }) => {
  AV._config.APIServerURL = url
  AV.init({ appId, appKey, masterKey })
}

/** Oldest first. All versions run in Node. */
export const STORAGE_VERSIONS: readonly [StorageVersion, ...StorageVersion[]] = [
  {
    version: '1.5.5',
    major: 1,
    name: 'leancloud-storage-1',
    init: initByConfig,
    node: 'leancloud-storage-1',
    browser: 'dist/av-min.js',
    miniProgram: null,
  },
  {
    version: '2.5.4',
    major: 2,
    name: 'leancloud-storage-2',
    init: initByConfig,
    node: 'leancloud-storage-2',
    browser: 'dist/av-min.js',
    miniProgram: 'dist/av-weapp-min.js',
  },
  {
    version: '3.15.0',
    major: 3,
    name: 'leancloud-storage-3',
    init: (AV, { url, appId, appKey, masterKey }) => {
      AV.init({ appId, appKey, masterKey, serverURLs: { api: url, engine: url, push: url, stats: url, rtm: url } })
    },
    node: 'leancloud-storage-3/live-query',
    // This version depends on leancloud-realtime `^5.0.0-alpha.3`, which resolves to a release that requires adapters.
    prepare: (load) => load('leancloud-realtime/core').setAdapters(load('@leancloud/platform-adapters-node')),
    browser: 'dist/av-live-query-min.js',
    miniProgram: 'dist/av-live-query-weapp-min.js',
  },
  {
    version: '4.7.0',
    major: 4,
    name: 'leancloud-storage-4.7',
    init: (AV, { url, appId, appKey, masterKey }) => AV.init({ appId, appKey, masterKey, serverURL: url }) ?? null,
    node: 'leancloud-storage-4.7/live-query',
    browser: 'dist/av-live-query-min.js',
    miniProgram: 'dist/av-live-query-weapp-min.js',
  },
  {
    version: '4.15.2',
    major: 4,
    name: 'leancloud-storage',
    init: (AV, { url, appId, appKey, masterKey }) => AV.init({ appId, appKey, masterKey, serverURL: url }) ?? null,
    node: 'leancloud-storage/live-query',
    browser: 'dist/av-live-query-min.js',
    miniProgram: 'dist/av-live-query-weapp-min.js',
  },
]

export const NEWEST_STORAGE = STORAGE_VERSIONS.at(-1)!

/** The versions tested in browsers. The versions between them send the same as one of these there. */
export const BROWSER_STORAGE_VERSIONS = [STORAGE_VERSIONS[0], NEWEST_STORAGE]
