import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { MAX_WIRE_DEPTH } from '../../values/json.ts'
import { type Extent, ExtentCounter } from '../../values/json-extent.ts'
import { RawBody } from '../raw-body.ts'
import { MAX_BODY_BYTES } from './admit-body.ts'
import { isForm, MAX_TRUSTED } from './read-body.ts'
import { pathOf } from './request-path.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How large the JSON of a body is that was counted as it came; null for all others. */
    extent: Extent | null
  }
}

/** Bytes of a body up to which it is decoded when it is there: one call costs less than many. */
const SMALL = 64 * 1024

/**
 * Receives the body of a request as text, or the content of a file or a batch of an import as it is. A large one is decoded as it comes: to do it
 * in the end would hold up the event loop for a tenth of a second. Of one that has more values than anybody may send, the
 * rest is not kept: `readBody` refuses what is there. What is no UTF-8 becomes replacement characters.
 * @param done called once, with the text or with what went wrong: ApiError 413, or that of the connection
 */
export function receiveBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: string | RawBody) => void,
): void {
  const isSmall = Number(request.headers['content-length'] ?? MAX_BODY_BYTES) <= SMALL
  const chunks: Buffer[] = []
  const isRaw = bringsBytes(request)
  const decoder = isSmall || isRaw ? null : new StringDecoder('utf8')
  const extent = decoder && !isForm(request.headers) ? new ExtentCounter(MAX_WIRE_DEPTH, MAX_TRUSTED) : null
  const pieces: string[] = []
  let received = 0
  const finish = (error: Error | null, body?: string | RawBody) => {
    payload.off('data', onData)
    payload.off('end', onEnd)
    payload.off('error', finish)
    done(error, body)
  }
  const onData = (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_BODY_BYTES) finish(errors.payloadTooLarge())
    else if (!decoder) chunks.push(chunk)
    else if (!extent?.isBeyond) {
      const piece = decoder.write(chunk)
      pieces.push(piece)
      extent?.read(piece)
    }
  }
  const onEnd = () => {
    if (decoder) {
      pieces.push(decoder.end())
      request.extent = extent
      // What is put together by `+` would be made one text when it is first looked at, in the same turn as its values.
      finish(null, pieces.join(''))
    } else {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      finish(null, isRaw ? new RawBody(bytes, request.headers['content-type'] ?? null) : bytes.toString('utf8'))
    }
  }
  payload.on('data', onData)
  payload.on('end', onEnd)
  payload.on('error', finish)
}

/** Batches of imports, of which a thread makes texts. */
const LINES = 'application/x-ndjson'
const BATCHES = /^\/admin\/apps\/[^/]+\/imports\/[^/]+\/batches$/

/**
 * `POST /1.1/files/:name` takes the content of a file, unless it is JSON (protocol/files, Other requests). `text/plain` may be a
 * file or carry a request: `readBody` finds out.
 */
function bringsBytes(request: FastifyRequest): boolean {
  if (request.method !== 'POST') return false
  const type = request.headers['content-type'] ?? 'json'
  const path = pathOf(request)
  if (type === LINES) return BATCHES.test(path)
  return path.startsWith('/1.1/files/') && !/json|x-www-form-urlencoded/.test(type)
}
