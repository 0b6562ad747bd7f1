import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { DiskReserve } from '../../disk-reserve.ts'
import { type FilesPlace, parseFilesUrl } from '../../files-url.ts'
import type { Log } from '../../log.ts'
import type { BlobStore } from './blob-store.ts'
import { LocalBlobs } from './local-blobs.ts'

type Settings = Pick<Config, 'filesUrl' | 'data'>

/** Where the bytes of files lie by the configuration: the option `filesUrl`, or `files` in the data directory. */
export function filesPlace({ filesUrl, data }: Settings): FilesPlace {
  return filesUrl === null ? { kind: 'folder', path: join(data, 'files') } : parseFilesUrl(filesUrl)
}

/**
 * Opens the store of the configuration. Whether it works is not tried: `check` does that.
 * @param reserve what is kept free of the disk; nothing without it
 * @throws Error with one line for the administrator
 */
export async function openBlobs(settings: Settings, log: Log, reserve?: DiskReserve): Promise<BlobStore> {
  const place = filesPlace(settings)
  if (place.kind === 'folder') return new LocalBlobs(place.path, log, reserve)
  // The client of S3 is large, and most servers do without.
  const { S3Blobs } = await import('./s3-blobs.ts')
  return S3Blobs.open(place, join(settings.data, 'spool'), log, reserve)
}
