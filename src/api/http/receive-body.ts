import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { MAX_WIRE_DEPTH } from '../../values/json.ts'
import { type Extent, ExtentCounter } from '../../values/json-extent.ts'
import { RawBody } from '../call.ts'
import { MAX_BODY_BYTES } from '../route.ts'
import { isForm, MAX_TRUSTED } from './read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How large the JSON of a body is that was counted as it came; null for all others. */
    extent: Extent | null
  }
}

/** Bytes of a body up to which it is decoded when it is there: one call costs less than many. */
const SMALL = 64 * 1024

/**
 * Receives the body of a request as text, or unchanged where its endpoint takes bytes. Decodes a large one while it arrives:
 * to do it in the end would block the event loop for a tenth of a second. Of one that has more values than any client may
 * send, the rest is not kept: `readBody` refuses what is there. What is no UTF-8 becomes replacement characters.
 * @param done called once, with the text or with what went wrong: ApiError 413, or that of the connection
 */
export function receiveBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: string | RawBody) => void,
): void {
  const maxBytes = maxBytesOf(request)
  const isSmall = Number(request.headers['content-length'] ?? maxBytes) <= SMALL
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
    if (received > maxBytes) finish(errors.payloadTooLarge())
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

/** Returns how many bytes the body of a request may have. */
export function maxBytesOf({ endpoint }: FastifyRequest): number {
  return endpoint === null ? MAX_BODY_BYTES : endpoint.maxBytes
}

/** `text/plain` may be a file or carry a request: `readBody` finds out. */
function bringsBytes({ endpoint, headers }: FastifyRequest): boolean {
  return endpoint?.takesBytes?.(headers['content-type'] ?? 'json') ?? false
}
