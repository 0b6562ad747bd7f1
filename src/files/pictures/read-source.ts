import { open } from 'node:fs/promises'
import { errors } from '../../errors.ts'

/** The source of a picture: a stored file, or its bytes. */
export type PictureSource = { readonly path: string } | { readonly bytes: Buffer }

/** Reads a source into memory. @throws ApiError 400 when it is larger than `max` bytes */
export async function readSource(source: PictureSource, max: number): Promise<Buffer> {
  if ('bytes' in source) {
    if (source.bytes.length > max) throw tooLarge(max)
    return source.bytes
  }
  const file = await open(source.path)
  try {
    const { size } = await file.stat()
    if (size > max) throw tooLarge(max)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function tooLarge(max: number): Error {
  return errors.badArgument(`The picture must have at most ${max} bytes to be processed.`)
}
