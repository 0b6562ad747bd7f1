import { errors } from '../errors.ts'
import { MASTER } from '../objects/access/caller.ts'
import { PLAIN_VIEW } from '../objects/reading/present.ts'
import { readObject } from '../objects/reading/read.ts'
import type { ObjectStore } from '../objects/store.ts'

export type CensorResult = 'pass' | 'review' | 'block'

/**
 * Returns the moderation result of a file (protocol/files, External files). Homeport has no image moderation: every existing file
 * passes, and the application must do its own.
 * @throws ApiError 101 when the file does not exist
 */
export async function censorFile(store: ObjectStore, id: string): Promise<CensorResult> {
  if (!(await readObject(store, '_File', id, PLAIN_VIEW, MASTER))) throw errors.fileMissing(id)
  return 'pass'
}
