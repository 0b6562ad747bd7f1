import { json } from 'node:stream/consumers'
import { errors } from '../errors.ts'
import type { Files } from '../files/files.ts'
import { dropParts } from '../files/uploads/parts.ts'
import { beginBlock, completeBlocks, continueBlock, type TakenPiece } from '../files/uploads/qiniu-blocks.ts'
import { completeParts, receiveNumberedPart } from '../files/uploads/qiniu-parts.ts'
import { type Incoming, openUpload, receiveUpload } from '../files/uploads/receive-upload.ts'
import type { Upload } from '../files/uploads/upload-table.ts'
import { type Answer, ok } from './call.ts'
import { type ByteCall, type ByteRoute, byteRoute } from './transfer/byte-route.ts'
import { fileOfForm } from './transfer/file-of-form.ts'

const UPLOAD = '/uploads/:appId/:token'
const PARTS = `${UPLOAD}/buckets/:bucket/objects/:key/uploads`

/**
 * Endpoints for the bytes of an upload, in each form that the SDKs use for a provider of the hosted service
 * (protocol/files, Upload by provider). The token is in the path, so that the upload is known before its first byte is
 * accepted.
 */
export const uploads: readonly ByteRoute[] = [
  byteRoute({
    methods: ['PUT'],
    path: UPLOAD,
    handler: async (call) => {
      const { files, upload } = await open(call)
      const { md5 } = await receiveUpload(files, upload, incoming(call))
      return ok({}, { etag: `"${md5}"` })
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: UPLOAD,
    handler: async (call) => {
      const { files, upload } = await open(call)
      const form = fileOfForm(call, ['file', 'fileContent', 'filecontent'])
      const { md5 } = await receiveUpload(files, upload, { ...incoming(call), source: form, length: null })
      return ok({ ...stored(upload, md5), code: 0, message: 'SUCCESS' })
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: `${UPLOAD}/mkblk/:size`,
    handler: async (call) => {
      const { files, upload } = await open(call)
      return taken(call, await beginBlock(files, upload, Number(call.params.size), incoming(call)))
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: `${UPLOAD}/bput/:context/:offset`,
    handler: async (call) => {
      const { files, upload } = await open(call)
      const { context, offset } = call.params
      return taken(call, await continueBlock(files, upload, context!, Number(offset), incoming(call)))
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: `${UPLOAD}/mkfile/:size/*`,
    handler: async (call) => {
      const { files, upload } = await open(call)
      const contexts = (await smallText(call)).split(',').filter((context) => context !== '')
      const { md5 } = await completeBlocks(files, upload, Number(call.params.size), contexts, incoming(call))
      return ok(stored({ key: namedKey(call.params['*']!) ?? upload.key }, md5))
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: PARTS,
    handler: async (call) => {
      const { files, upload } = await open(call)
      await dropParts(files, upload)
      return ok({ uploadId: upload.fileId, expireAt: Math.floor(Date.parse(upload.createdAt) / 1000) + 86_400 })
    },
  }),
  byteRoute({
    methods: ['PUT'],
    path: `${PARTS}/:uploadId/:number`,
    handler: async (call) => {
      const { files, upload } = await openParts(call)
      const { md5 } = await receiveNumberedPart(files, upload, call.params.number!, givenMd5(call), incoming(call))
      return ok({ etag: md5, md5 })
    },
  }),
  byteRoute({
    methods: ['POST'],
    path: `${PARTS}/:uploadId`,
    handler: async (call) => {
      const { files, upload } = await openParts(call)
      const { md5 } = await completeParts(files, upload, await smallJson(call), incoming(call))
      return ok(stored(upload, md5))
    },
  }),
  byteRoute({
    methods: ['DELETE'],
    path: `${PARTS}/:uploadId`,
    handler: async (call) => {
      const { files, upload } = await openParts(call)
      await dropParts(files, upload)
      return ok({})
    },
  }),
]

interface Opened {
  readonly files: Files
  readonly upload: Upload
}

async function open(call: ByteCall): Promise<Opened> {
  const { appId, token } = call.params
  const { files } = await call.openApp(appId!)
  return { files, upload: await openUpload(files, token!) }
}

async function openParts(call: ByteCall): Promise<Opened> {
  const opened = await open(call)
  if (call.params.uploadId !== opened.upload.fileId) throw errors.notFound('Multipart upload not found.')
  return opened
}

function incoming({ body, length, sent, signal }: ByteCall): Incoming {
  return { source: body, length, address: sent.address, signal }
}

/** Returns the provider's response for a stored file. The Java SDK requires its key in it. */
function stored({ key }: Pick<Upload, 'key'>, md5: string) {
  return { key, hash: md5 }
}

/** Returns the key in the path of `mkfile`: Java before 7 sends the key it has proposed, and accepts no other in the response. */
function namedKey(rest: string): string | null {
  const [name, key] = rest.split('/')
  return name === 'key' && key ? Buffer.from(key, 'base64').toString('utf8') : null
}

function taken({ baseUrl, params }: ByteCall, { context, offset, md5, crc32 }: TakenPiece): Answer {
  const host = `${baseUrl}/uploads/${params.appId}/${params.token}`
  return ok({ ctx: context, checksum: md5, crc32, offset, host })
}

/** Returns the MD5 sum in the headers, in base64 or hexadecimal, as hexadecimal. */
function givenMd5({ headers }: ByteCall): string | undefined {
  const given = headers['content-md5']
  if (typeof given !== 'string') return undefined
  return /^[0-9a-f]{32}$/i.test(given) ? given.toLowerCase() : Buffer.from(given, 'base64').toString('hex')
}

/** Maximum bytes of the list of an upload's parts: enough for ten thousand. */
const MAX_LIST = 2 * 1024 * 1024

async function smallText(call: ByteCall): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of bounded(call)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function smallJson(call: ByteCall): Promise<unknown> {
  return json(bounded(call)).catch((error: unknown) => {
    if (error instanceof SyntaxError) throw errors.malformedJson('The list of parts must be JSON.')
    throw error
  })
}

async function* bounded({ body }: ByteCall): AsyncIterable<Buffer> {
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_LIST) throw errors.payloadTooLarge()
    yield chunk
  }
}
