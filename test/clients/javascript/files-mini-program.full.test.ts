import { fileOf, miniProgramEnvironment } from './environment.ts'
import { type FileForms, testFiles } from './storage-files.ts'
import { NEWEST_STORAGE } from './storage-versions.ts'

// The platform uploads files only by path and as forms.
const FORMS: FileForms = {
  usual: 'path',
  uploads: () => [
    ['path', 0],
    ['path', 1],
    ['path', 5_000_001],
  ],
}

const { name, miniProgram } = NEWEST_STORAGE
await testFiles(NEWEST_STORAGE, 'in a mini-program', () => miniProgramEnvironment(fileOf(name, miniProgram!)), FORMS, [
  'qiniu',
  'qcloud',
])

const adapters = fileOf('@leancloud/platform-adapters-weapp', 'lib/index.js')
await testFiles(
  NEWEST_STORAGE,
  'in a mini-program, with adapters of its own',
  () => miniProgramEnvironment(fileOf(name, 'dist/av-live-query-core-min.js'), adapters),
  FORMS,
  [],
)
