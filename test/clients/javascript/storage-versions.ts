import type { Work } from './place.ts'

/** A version of leancloud-storage that apps still use, and how it is pointed to a server of one's own. */
export interface StorageVersion {
  readonly version: string
  /** 4.7 counts as 4. */
  readonly major: 1 | 2 | 3 | 4
  /** Its name in `package.json`. */
  readonly name: string
  readonly init: Work
  /** What is required in Node: with live queries where it has them. */
  readonly node: string
  /** What an app in Node must do besides. */
  readonly prepare?: (load: NodeJS.Require) => void
  /** The build that pages load, from a content delivery network or their own server. */
  readonly browser: string
  readonly miniProgram: string | null
}

/** The address must be there before `init`, which else asks the router of the hosted service for it. */
const initByConfig: Work = (AV, { url, appId, appKey, masterKey }) => {
  AV._config.APIServerURL = url
  AV.init({ appId, appKey, masterKey })
}

/** Oldest first. All of them run in Node. */
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
    // It asks for a leancloud-realtime of `^5.0.0-alpha.3` and gets one that has to be told how to make requests.
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

/** The versions that run in browsers. The versions between them send there what one of these sends. */
export const BROWSER_STORAGE_VERSIONS = [STORAGE_VERSIONS[0], NEWEST_STORAGE]
