import { afterAll } from 'vitest'
import { nodeEnvironment } from './environment.ts'
import { testRealtime } from './realtime-cases.ts'
import { NEWEST_REALTIME, REALTIME_VERSIONS } from './realtime-versions.ts'

// The certificate of the proxy is self-signed.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

// test/sdk/realtime runs the newest version in Node.
for (const version of REALTIME_VERSIONS.filter((one) => one !== NEWEST_REALTIME)) {
  await testRealtime(version, 'in Node', afterAll, () => nodeEnvironment(version.name))
}
