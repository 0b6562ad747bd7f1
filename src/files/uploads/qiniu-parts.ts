import { z } from 'zod'
import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { completeOnce, joinParts, type Part, partsOf, receivePart, type StoredPart } from './parts.ts'
import type { Incoming } from './receive-upload.ts'
import type { Upload } from './upload-table.ts'

const MAX_PARTS = 10_000

const completion = z.looseObject({
  parts: z.array(z.looseObject({ partNumber: z.int().min(1).max(MAX_PARTS), etag: z.string() })).max(MAX_PARTS),
})

/**
 * Stores a numbered part of an upload (protocol/files, Upload by provider, v2 parts).
 * @param number the number in the path, from 1
 * @param md5 `Content-MD5` of the part in hexadecimal; undefined when it was not sent
 */
export async function receiveNumberedPart(
  files: Files,
  upload: Upload,
  number: string,
  md5: string | undefined,
  incoming: Incoming,
): Promise<StoredPart> {
  if (!/^[1-9]\d{0,4}$/.test(number) || Number(number) > MAX_PARTS)
    throw errors.badArgument(`The number of a part must be 1 to ${MAX_PARTS}.`)
  const stored = await receivePart(files, upload, number, 0, incoming)
  if (md5 !== undefined && md5 !== stored.md5)
    throw errors.badArgument(
      `The MD5 of part ${number} is ${stored.md5}, which does not match Content-MD5; send it again.`,
    )
  return stored
}

/**
 * Creates the file from its numbered parts.
 * @param body lists each part with the etag from its response
 * @throws ApiError 1 for a part that is missing or has another etag
 */
export async function completeParts(
  files: Files,
  upload: Upload,
  body: unknown,
  incoming: Pick<Incoming, 'signal'>,
): Promise<StoredBlob> {
  const parsed = completion.safeParse(body)
  if (!parsed.success) throw errors.badArgument("'parts' must be a list of {partNumber, etag}.")
  return completeOnce(files, upload, async () => {
    const there = new Map((await partsOf(files, upload)).map((part) => [part.part, part]))
    let last = 0
    const pieces = parsed.data.parts.map(({ partNumber, etag }): Part => {
      const part = there.get(String(partNumber))
      if (!part || part.md5 !== etag)
        throw errors.badArgument(`Part ${partNumber} is missing or does not match its etag.`)
      if (partNumber <= last) throw errors.badArgument("'parts' must be sorted by partNumber, without duplicates.")
      last = partNumber
      return part
    })
    return joinParts(files, upload, pieces, incoming)
  })
}
