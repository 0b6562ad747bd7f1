import { fileOf, miniProgramPlace } from './place.ts'
import { type FileForms, testFiles } from './storage-files.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

// The platform has paths, and posts forms: nothing else can be sent.
const FORMS: FileForms = {
  usual: 'path',
  uploads: () => [
    ['path', 0],
    ['path', 1],
    ['path', 5_000_001],
  ],
}

for (const version of STORAGE_VERSIONS) {
  const { name, major, miniProgram } = version
  if (miniProgram !== null) {
    const providers = major < 3 ? ['qcloud'] : ['qiniu', 'qcloud']
    await testFiles(version, 'in a mini-program', () => miniProgramPlace(fileOf(name, miniProgram)), FORMS, providers)
  }
}

const adapters = fileOf('@leancloud/platform-adapters-weapp', 'lib/index.js')
const [latest] = STORAGE_VERSIONS.slice(-1)
await testFiles(
  latest!,
  'in a mini-program, with adapters of its own',
  () => miniProgramPlace(fileOf(latest!.name, 'dist/av-live-query-core-min.js'), adapters),
  FORMS,
  [],
)
