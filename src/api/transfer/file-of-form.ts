import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { ApiError, errors } from '../../errors.ts'
import type { ByteCall } from './byte-route.ts'

/** What a form may have besides its file: fields and the files of other names are read and forgotten. */
const BESIDES = { fields: 50, fieldNameSize: 200, fieldSize: 64 * 1024, files: 10, parts: 60, headerPairs: 100 }

/** Bytes of files of other names. */
const MAX_OTHERS = 1024 * 1024

/**
 * The bytes of the file that a form brings (`multipart/form-data`). They end only when all of the form has come: one that
 * breaks off behind its file is broken.
 * @param names of the field that holds it
 * @throws ApiError 1 where there is none, or the form is broken, when it is read
 */
export async function* fileOfForm({ headers, body }: ByteCall, names: readonly string[]): AsyncIterable<Buffer> {
  const form = openForm(headers, names)
  const ended = new AbortController()
  const fail = (error: unknown) =>
    ended.abort(error instanceof ApiError ? error : errors.badArgument('The form is broken, or ended too early.'))
  const file = new Promise<Readable | null>((resolve) => {
    form.on('file', (name: string, stream: Readable) => {
      // Before anybody reads it: an error that nobody hears would end the process.
      stream.on('error', fail)
      if (names.includes(name)) resolve(stream)
      else skip(stream, fail)
    })
    form.on('finish', () => resolve(null))
    ended.signal.addEventListener('abort', () => resolve(null))
  })
  const whole = new Promise<void>((resolve) => {
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
    if (!stream) throw errors.badArgument(`The form has no file in the field '${names[0]}'.`)
    ended.signal.addEventListener('abort', () => stream.destroy(ended.signal.reason as Error))
    yield* stream
    await whole
    ended.signal.throwIfAborted()
  } finally {
    body.unpipe(form)
    body.resume()
  }
}

function openForm(headers: ByteCall['headers'], names: readonly string[]): BusboyInstance {
  // The first C# clients give their file neither a name nor a type.
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
