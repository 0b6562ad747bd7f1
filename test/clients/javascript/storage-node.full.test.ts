import { nodePlace } from './place.ts'
import { testStorage } from './storage-cases.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

for (const version of STORAGE_VERSIONS) {
  await testStorage(version, 'in Node', () => nodePlace(version.node, version.prepare))
}
