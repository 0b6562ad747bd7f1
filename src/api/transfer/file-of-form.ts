import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { ApiError, errors } from '../../errors.ts'
import type { ByteCall } from './byte-route.ts'

/** Limits for the parts of a form in addition to its file; other fields and files are discarded. */
const BESIDES = { fields: 50, fieldNameSize: 200, fieldSize: 64 * 1024, files: 10, parts: 60, headerPairs: 100 }

/** Maximum bytes of other files, each. */
const MAX_OTHERS = 1024 * 1024

/**
 * Yields the bytes of the file in a form (`multipart/form-data`). They end only when the complete form has arrived: a
 * form that is truncated after its file is malformed.
 * @param names of the field with the file
 * @throws ApiError 1 when there is none, or the form is malformed, when it is read
 */
export async function* fileOfForm({ headers, body }: ByteCall, names: readonly string[]): AsyncIterable<Buffer> {
  const form = openForm(headers, names)
  const ended = new AbortController()
  const fail = (error: unknown) =>
    ended.abort(error instanceof ApiError ? error : errors.badArgument('The form is malformed or incomplete.'))
  const file = new Promise<Readable | null>((resolve) => {
    form.on('file', (name: string, stream: Readable) => {
      // Attached before the stream is read, because an unhandled 'error' event would end the process.
      stream.on('error', fail)
      if (names.includes(name)) resolve(stream)
      else skip(stream, fail)
    })
    form.on('finish', () => resolve(null))
    ended.signal.addEventListener('abort', () => resolve(null))
  })
  const complete = new Promise<void>((resolve) => {
    form.on('finish', resolve)
    ended.signal.addEventListener('abort', () => resolve())
  })
  form.on('error', fail)
  body.on('error', fail)
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    form.on(limit, () => fail(errors.badArgument('The form has too many fields.')))
  body.pipe(form)
  try {
    const stream = await file
    ended.signal.throwIfAborted()
    if (!stream) throw errors.badArgument(`The form must have a file in the field '${names[0]}'.`)
    ended.signal.addEventListener('abort', () => stream.destroy(ended.signal.reason as Error))
    yield* stream
    await complete
    ended.signal.throwIfAborted()
  } finally {
    body.unpipe(form)
    body.resume()
  }
}

function openForm(headers: ByteCall['headers'], names: readonly string[]): BusboyInstance {
  // The first C# clients send neither a name nor a type for their file.
  const isPartAFile = (field: string | undefined, type: string | undefined, name: string | undefined) =>
    names.includes(field ?? '') || name !== undefined || type === 'application/octet-stream'
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: BESIDES, isPartAFile })
  } catch {
    throw errors.badArgument('The upload must be a form (multipart/form-data) with a boundary.')
  }
}

function skip(stream: Readable, fail: (error: unknown) => void): void {
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_OTHERS) {
      stream.pause()
      fail(errors.payloadTooLarge())
    }
  })
  stream.on('error', fail)
}
