import { fileOf, miniProgramEnvironment } from './environment.ts'
import { testStorage } from './storage-cases.ts'
import { NEWEST_STORAGE } from './storage-versions.ts'

const { name, miniProgram } = NEWEST_STORAGE
await testStorage(NEWEST_STORAGE, 'in a mini-program', () => miniProgramEnvironment(fileOf(name, miniProgram!)))

const adapters = fileOf('@leancloud/platform-adapters-weapp', 'lib/index.js')
await testStorage(NEWEST_STORAGE, 'in a mini-program, with adapters of its own', () =>
  miniProgramEnvironment(fileOf(name, 'dist/av-live-query-core-min.js'), adapters),
)
