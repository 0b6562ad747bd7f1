import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileStoreLocation, openBlobs } from '../../files/blobs/open-blobs.ts'
import { createLog } from '../../log.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

/** Writes, reads and deletes some bytes in the store of files. */
export async function checkFiles({ config }: Examination): Promise<Finding[]> {
  const location = fileStoreLocation(config)
  const findings: Finding[] = []
  // The data directory and its parents are created by the first start, not by this check.
  if (config.filesUrl === null && location.kind === 'folder' && !existsSync(location.path))
    findings.push(fine('doctorFilesLater', { path: location.path }))
  else
    try {
      const blobs = await openBlobs(config, createLog('silent'))
      await blobs.check()
      findings.push(fine('doctorFiles', { place: blobs.description }))
    } catch (error) {
      findings.push(failure('doctorFilesUnusable', { reason: reasonOf(error) }))
    }
  const mayHaveOthers = config.databaseUrl !== null || config.redisUrl !== null
  if (mayHaveOthers && location.kind === 'folder' && !relative(config.data, location.path).startsWith('..'))
    findings.push(warning('doctorFilesNotShared'))
  return findings
}
