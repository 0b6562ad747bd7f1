import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { DiskReserve } from '../../disk-reserve.ts'
import { type FileStoreLocation, parseFilesUrl } from '../../files-url.ts'
import type { Log } from '../../log.ts'
import type { BlobStore } from './blob-store.ts'
import { LocalBlobs } from './local-blobs.ts'

type Settings = Pick<Config, 'filesUrl' | 'data'>

/** Returns the location of the blobs: the option `filesUrl`, or `files` in the data directory. */
export function fileStoreLocation({ filesUrl, data }: Settings): FileStoreLocation {
  return filesUrl === null ? { kind: 'folder', path: join(data, 'files') } : parseFilesUrl(filesUrl)
}

/**
 * Opens the configured store. Does not check that it works; `check` does.
 * @param reserve free disk space to keep; omitted: none
 * @throws Error with one line for the administrator
 */
export async function openBlobs(settings: Settings, log: Log, reserve?: DiskReserve): Promise<BlobStore> {
  const location = fileStoreLocation(settings)
  if (location.kind === 'folder') return new LocalBlobs(location.path, log, reserve)
  // The S3 client is large, and most servers do not use it.
  const { S3Blobs } = await import('./s3-blobs.ts')
  return S3Blobs.open(location, join(settings.data, 'spool'), log, reserve)
}
