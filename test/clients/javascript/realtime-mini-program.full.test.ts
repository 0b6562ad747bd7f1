import { afterAll } from 'vitest'
import { fileOf, miniProgramEnvironment } from './environment.ts'
import { testRealtime } from './realtime-cases.ts'
import { NEWEST_REALTIME, OUTER_REALTIME_VERSIONS } from './realtime-versions.ts'

// The certificate of the proxy is self-signed.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

for (const version of OUTER_REALTIME_VERSIONS) {
  const { name, miniProgram } = version
  await testRealtime(version, 'in a mini-program', afterAll, () => miniProgramEnvironment(fileOf(name, miniProgram)))
}

const adapters = fileOf('@leancloud/platform-adapters-weapp', 'lib/index.js')
await testRealtime(NEWEST_REALTIME, 'in a mini-program, with adapters of its own', afterAll, () =>
  miniProgramEnvironment(fileOf(NEWEST_REALTIME.name, 'dist/im.min.js'), adapters),
)
