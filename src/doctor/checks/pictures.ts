import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Examination } from '../examination.ts'
import { type Finding, fine, warning } from '../finding.ts'

/** Checks the cache of picture variants, which is in the data directory of each machine, wherever the files are stored. */
export function checkPictures({ config }: Examination): Finding[] {
  const path = join(config.data, 'pictures')
  if (!existsSync(path)) return []
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return [fine('doctorPictures', { path })]
  } catch {
    return [warning('doctorPicturesUnusable', { path })]
  }
}
