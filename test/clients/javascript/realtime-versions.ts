import type { Work } from './place.ts'

/** A version of leancloud-realtime that apps still use, and how it is pointed to a server of one's own. */
export interface RealtimeVersion {
  readonly version: string
  readonly major: 3 | 4 | 5
  /** Its name in `package.json`. */
  readonly name: string
  /** Makes `realtime`, the one connection of the place. */
  readonly init: Work
  /** The builds that pages and mini-programs load. */
  readonly browser: string
  readonly miniProgram: string
}

/** Oldest first. All of them run in Node. */
export const REALTIME_VERSIONS: readonly [RealtimeVersion, ...RealtimeVersion[]] = [
  {
    version: '3.5.7',
    major: 3,
    name: 'leancloud-realtime-3',
    // It knows no address but those of the hosted service: an app has to tell it what their router would have told it.
    init: (sdk, { appId, url }) => {
      const server = url.replace('http', 'ws')
      sdk.realtime = new sdk.Realtime({ appId })
      sdk.realtime._cache.set('endpoints', { server, secondary: server }, 2 ** 40)
    },
    browser: 'dist/realtime.browser.min.js',
    miniProgram: 'dist/realtime.weapp.min.js',
  },
  {
    version: '4.3.1',
    major: 4,
    name: 'leancloud-realtime-4',
    // It puts `https://` before what it is given.
    init: (sdk, { appId, appKey, safeUrl }) => {
      sdk.realtime = new sdk.Realtime({ appId, appKey, server: safeUrl.replace('https://', '') })
    },
    browser: 'dist/realtime.browser.min.js',
    miniProgram: 'dist/realtime.weapp.min.js',
  },
  {
    version: '5.0.0-rc.8',
    major: 5,
    name: 'leancloud-realtime',
    init: (sdk, { appId, appKey, url }) => {
      sdk.realtime = new sdk.Realtime({ appId, appKey, server: url })
    },
    browser: 'dist/im-browser.min.js',
    miniProgram: 'dist/im-weapp.min.js',
  },
]

export const NEWEST_REALTIME = REALTIME_VERSIONS.at(-1)!

/** The versions that run in browsers and mini-programs. The version between them sends there what the newest one sends. */
export const OUTER_REALTIME_VERSIONS = [REALTIME_VERSIONS[0], NEWEST_REALTIME]
