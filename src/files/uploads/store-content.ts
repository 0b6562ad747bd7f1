import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '../../objects/access/caller.ts'
import { isJsonObject } from '../../values/json.ts'
import type { Files } from '../files.ts'
import { type BegunUpload, beginUpload } from './begin-upload.ts'
import { openUpload, receiveUpload } from './receive-upload.ts'

/** Bytes that are hashed and written at a time: hashing 14 MB takes 25 ms. */
const SLICE = 256 * 1024

/**
 * Creates a file from content that was sent in the request itself (protocol/files, Other requests), by the same rules as an
 * upload with a token.
 * @param wanted as the body of `POST /fileTokens`; its size is ignored
 * @throws the errors of `beginUpload` and `receiveUpload`
 */
export async function storeContent(
  files: Files,
  bytes: Buffer,
  wanted: { readonly [name: string]: unknown },
  caller: Caller,
): Promise<Omit<BegunUpload, 'token'>> {
  const { metaData } = wanted
  const isWrong = metaData != null && !isJsonObject(metaData)
  const sized = { ...wanted, metaData: isWrong ? metaData : { ...metaData, size: bytes.length } }
  const { token, ...upload } = await beginUpload(files, sized, caller, '')
  await receiveUpload(files, await openUpload(files, token), {
    source: slicesOf(bytes),
    length: bytes.length,
    address: caller.origin?.clientAddress ?? '',
    signal: new AbortController().signal,
  })
  return upload
}

/** Yields one slice of the bytes per iteration of the event loop. */
async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE) {
    if (start > 0) await nextTurn()
    yield bytes.subarray(start, start + SLICE)
  }
}
