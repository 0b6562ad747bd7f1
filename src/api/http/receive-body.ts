import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { MAX_BODY_BYTES } from './admit-body.ts'

/** Bytes of a body up to which it is decoded when it is there: one call costs less than many. */
const SMALL = 64 * 1024

/**
 * Receives the body of a request as text. A large one is decoded as it comes: to do it in the end would hold up the event
 * loop for a tenth of a second. What is no UTF-8 becomes replacement characters.
 * @param done called once, with the text or with what went wrong: ApiError 413, or that of the connection
 */
export function receiveBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: string) => void,
): void {
  const isSmall = Number(request.headers['content-length'] ?? MAX_BODY_BYTES) <= SMALL
  const chunks: Buffer[] = []
  const decoder = isSmall ? null : new StringDecoder('utf8')
  let text = ''
  let received = 0
  const finish = (error: Error | null, body?: string) => {
    payload.off('data', onData)
    payload.off('end', onEnd)
    payload.off('error', finish)
    done(error, body)
  }
  const onData = (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_BODY_BYTES) finish(errors.payloadTooLarge())
    else if (decoder) text += decoder.write(chunk)
    else chunks.push(chunk)
  }
  const onEnd = () => {
    if (decoder) finish(null, text + decoder.end())
    else finish(null, (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8'))
  }
  payload.on('data', onData)
  payload.on('end', onEnd)
  payload.on('error', finish)
}
