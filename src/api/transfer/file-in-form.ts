import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { errors } from '../../errors.ts'

/** Bytes of a form that are parsed per iteration of the event loop. */
const SLICE = 256 * 1024

const LIMITS = { fields: 50, fieldNameSize: 200, fieldSize: 64 * 1024, files: 10, parts: 60, headerPairs: 100 }

export interface FormFile {
  readonly bytes: Buffer
  /** null when the form does not specify it, or only as plain text */
  readonly contentType: string | null
}

/**
 * Returns the first file of a received form (`multipart/form-data`), in any field.
 * @throws ApiError 1 when there is none, or the form is malformed
 */
export function fileInForm(form: Buffer, contentType: string): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const parser = openParser(contentType)
    let file: Promise<FormFile> | null = null
    parser.on('file', (_field: string, stream: Readable, _name: string, _encoding: string, type: string) => {
      if (file) return void stream.resume()
      // Without a Content-Type, the parser assumes `text/plain`. The name of the file tells more.
      const contentType = type === '' || type === 'text/plain' ? null : type
      file = stream.toArray().then((chunks: Buffer[]) => ({ bytes: Buffer.concat(chunks), contentType }))
      file.catch(() => reject(broken()))
    })
    parser.on('error', () => reject(broken()))
    parser.on('finish', () =>
      file
        ? resolve(file)
        : reject(errors.badArgument("The form must have a file: a part with a 'filename', or one named 'file'.")),
    )
    void feed(parser, form)
  })
}

/** Parses a form, one slice per iteration of the event loop, because 14 MB at once take 20 ms. */
async function feed(parser: BusboyInstance, form: Buffer): Promise<void> {
  for (let start = 0; start < form.length && !parser.destroyed; start += SLICE) {
    if (start > 0) await nextTurn()
    parser.write(form.subarray(start, start + SLICE))
  }
  parser.end()
}

/** Returns whether a part is a file: it has a file name, the name of the field for the file, or a binary type. */
function isPartAFile(field: string | undefined, type: string | undefined, name: string | undefined): boolean {
  return name !== undefined || field === 'file' || type === 'application/octet-stream'
}

function openParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType } as BusboyHeaders, limits: LIMITS, isPartAFile })
  } catch {
    throw errors.badArgument('The form must be multipart/form-data with a boundary.')
  }
}

function broken(): Error {
  return errors.badArgument('The form is malformed or incomplete.')
}
