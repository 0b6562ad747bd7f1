import type { Work } from './environment.ts'

/** A version of leancloud-realtime still used by apps, and how to configure its server URL. */
export interface RealtimeVersion {
  readonly version: string
  readonly major: 3 | 4 | 5
  /** Its name in `package.json`. */
  readonly name: string
  /** Creates `realtime`, the only connection of the place. */
  readonly init: Work
  /** The builds for pages and mini-programs. */
  readonly browser: string
  readonly miniProgram: string
}

/** Oldest first. All versions run in Node. */
export const REALTIME_VERSIONS: readonly [RealtimeVersion, ...RealtimeVersion[]] = [
  {
    version: '3.5.7',
    major: 3,
    name: 'leancloud-realtime-3',
    // This version has only the URLs of the hosted service: the app passes the response that its router would return.
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
    // This version prepends `https://` to the server.
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

/** The versions tested in browsers and mini-programs. The version between them sends the same as the newest there. */
export const OUTER_REALTIME_VERSIONS = [REALTIME_VERSIONS[0], NEWEST_REALTIME]
