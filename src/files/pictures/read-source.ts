import { open } from 'node:fs/promises'
import { errors } from '../../errors.ts'

/** The source of a picture: a stored file, or its bytes. */
export type PictureSource = { readonly path: string } | { readonly bytes: Buffer }

/** Reads a source into memory. @throws ApiError 400 when it is larger than `most` bytes */
export async function readSource(source: PictureSource, most: number): Promise<Buffer> {
  if ('bytes' in source) {
    if (source.bytes.length > most) throw tooLarge(most)
    return source.bytes
  }
  const file = await open(source.path)
  try {
    const { size } = await file.stat()
    if (size > most) throw tooLarge(most)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function tooLarge(most: number): Error {
  return errors.badArgument(`The picture must have at most ${most} bytes to be processed.`)
}
