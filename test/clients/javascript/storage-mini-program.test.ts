import { fileOf, miniProgramPlace } from './place.ts'
import { testStorage } from './storage-cases.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

for (const version of STORAGE_VERSIONS) {
  const { name, miniProgram } = version
  if (miniProgram !== null) {
    await testStorage(version, 'in a mini-program', () => miniProgramPlace(fileOf(name, miniProgram)))
  }
}
