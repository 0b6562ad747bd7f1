import { fileOf, miniProgramPlace } from './place.ts'
import { testStorage } from './storage-cases.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

for (const version of STORAGE_VERSIONS) {
  const { name, miniProgram } = version
  if (miniProgram !== null) {
    await testStorage(version, 'in a mini-program', () => miniProgramPlace(fileOf(name, miniProgram)))
  }
}

const adapters = fileOf('@leancloud/platform-adapters-weapp', 'lib/index.js')
const [latest] = STORAGE_VERSIONS.slice(-1)
await testStorage(latest!, 'in a mini-program, with adapters of its own', () =>
  miniProgramPlace(fileOf(latest!.name, 'dist/av-live-query-core-min.js'), adapters),
)
