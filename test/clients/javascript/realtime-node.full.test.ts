import { afterAll } from 'vitest'
import { nodePlace } from './place.ts'
import { testRealtime } from './realtime-cases.ts'
import { REALTIME_VERSIONS } from './realtime-versions.ts'

// The certificate of the proxy signed itself.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

for (const version of REALTIME_VERSIONS) {
  await testRealtime(version, 'in Node', afterAll, () => nodePlace(version.name))
}
