import { nodeEnvironment } from './environment.ts'
import { testStorage } from './storage-cases.ts'
import { NEWEST_STORAGE, STORAGE_VERSIONS } from './storage-versions.ts'

// test/sdk runs the newest version in Node.
for (const version of STORAGE_VERSIONS.filter((one) => one !== NEWEST_STORAGE)) {
  await testStorage(version, 'in Node', () => nodeEnvironment(version.node, version.prepare))
}
