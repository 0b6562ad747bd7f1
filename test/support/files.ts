import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { LocalBlobs } from '../../src/files/blobs/local-blobs.ts'
import { Pictures } from '../../src/files/pictures/pictures.ts'
import { createLog } from '../../src/log.ts'

/** Creates the file settings of apps, in a folder that is removed when the test file ends. */
export function fileLocations() {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-files-'))
  const pictures = new Pictures({ directory: join(folder, 'pictures') })
  afterAll(async () => {
    await pictures.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const blobs = new LocalBlobs(join(folder, 'files'), createLog('silent'))
  return { blobs, pictures, baseUrl: () => 'http://localhost' }
}
