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
    /** The size of a JSON body that was measured while it arrived; null for all others. */
    extent: Extent | null
  }
}

/** Maximum bytes of a body that is decoded at once when complete, because one call is cheaper than many. */
const SMALL = 64 * 1024

/**
 * Receives the body of a request as text, or unchanged if its endpoint accepts bytes. Decodes a large body while it
 * arrives, because decoding at the end would block the event loop for a tenth of a second. If it has more values than
 * any client may send, the rest is discarded, and `readBody` rejects it. Invalid UTF-8 becomes replacement characters.
 * @param done called once, with the text or an error: ApiError 413, or that of the connection
 */
export function receiveBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: string | RawBody) => void,
): void {
  const maxBytes = maxBytesOf(request)
  const isSmall = Number(request.headers['content-length'] ?? maxBytes) <= SMALL
  const chunks: Buffer[] = []
  const isRaw = hasByteBody(request)
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
      // `join` instead of `+`: a concatenated string would be flattened at its first use, in the same iteration of the
      // event loop in which it is parsed.
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

/** Returns the maximum size of a request's body in bytes. */
export function maxBytesOf({ endpoint }: FastifyRequest): number {
  return endpoint === null ? MAX_BODY_BYTES : endpoint.maxBytes
}

/** Returns whether the endpoint accepts the body as bytes. `text/plain` may be a file or carry a request: `readBody` decides. */
function hasByteBody({ endpoint, headers }: FastifyRequest): boolean {
  return endpoint?.takesBytes?.(headers['content-type'] ?? '') ?? false
}
