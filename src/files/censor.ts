import { errors } from '../errors.ts'
import { MASTER } from '../objects/access/caller.ts'
import { PLAIN_VIEW } from '../objects/reading/present.ts'
import { readObject } from '../objects/reading/read.ts'
import type { ObjectStore } from '../objects/store.ts'

export type CensorResult = 'pass' | 'review' | 'block'

/**
 * Judges a file (protocol/files, External files). Homeport looks into no images: there is no service behind it that
 * could, so a file that exists passes, and the application's own moderation decides.
 * @throws ApiError 101 when there is no such file
 */
export async function censorFile(store: ObjectStore, id: string): Promise<CensorResult> {
  if (!(await readObject(store, '_File', id, PLAIN_VIEW, MASTER))) throw errors.fileMissing(id)
  return 'pass'
}
