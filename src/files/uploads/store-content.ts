import { Readable } from 'node:stream'
import type { Caller } from '../../objects/access/caller.ts'
import { isJsonObject } from '../../values/json.ts'
import type { Files } from '../files.ts'
import { type BegunUpload, beginUpload } from './begin-upload.ts'
import { openUpload, receiveUpload } from './receive-upload.ts'

/**
 * Makes a file of content that has come with the request for it (protocol/files, Other requests): by the same rules as an
 * upload that is announced.
 * @param wanted as the body of `POST /fileTokens`; what it says of the size does not count
 * @throws those of `beginUpload` and `receiveUpload`
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
    source: Readable.from([bytes], { objectMode: true }),
    length: bytes.length,
    address: caller.origin?.clientAddress ?? '',
    signal: new AbortController().signal,
  })
  return upload
}
