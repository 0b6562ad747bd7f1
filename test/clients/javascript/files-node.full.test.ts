import { nodeEnvironment } from './environment.ts'
import { type FileForms, type Form, testFiles } from './storage-files.ts'
import { STORAGE_VERSIONS } from './storage-versions.ts'

const MEGABYTE = 1024 * 1024

const FORMS: FileForms = {
  usual: 'buffer',
  uploads({ major }, provider) {
    const rows: [Form, number][] = [
      ['buffer', 0],
      ['buffer', 1],
      ['buffer', 5_000_001],
      ['array', 1000],
      ['base64', 1000],
      ['data URI', 1000],
    ]
    if (provider === null && major === 4) rows.push(['buffer', 64 * MEGABYTE])
    // Before version 3 the client supports no streams: it rejects them for S3, or never resolves.
    if (major >= 3 && provider !== 's3')
      rows.push(['sized stream', 100_000], ['stream', 1000], ['stream', 20 * MEGABYTE - 1])
    return rows
  },
}

for (const version of STORAGE_VERSIONS) {
  // Before version 3 the client has the upload URL of Qiniu built in.
  const providers = version.major < 3 ? ['s3', 'qcloud'] : ['s3', 'qiniu', 'qcloud']
  await testFiles(version, 'in Node', () => nodeEnvironment(version.node, version.prepare), FORMS, providers)
}
