import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, inflateSync } from 'node:zlib'

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The content as JSON: null when it is empty, undefined when it has another type. */
  readonly body: unknown
  readonly text: string
  readonly bytes: Buffer
}

/** Sends exactly these headers, `Host` among them where given, and bodies of every method. */
export async function sendRequest(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  content: Buffer | string | undefined,
): Promise<HttpResponse> {
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content?.length
  const isChunked = 'transfer-encoding' in headers
  const sent = content === undefined || isChunked ? headers : { 'content-length': length, ...headers }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: sent })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      buffer(incoming).then((received) => {
        const bytes = decompress(received, incoming.headers['content-encoding'])
        const text = bytes.toString()
        const isJson = incoming.headers['content-type']?.startsWith('application/json')
        const body = text === '' ? null : isJson ? JSON.parse(text) : undefined
        resolve({ status: incoming.statusCode!, headers: incoming.headers, body, text, bytes })
      }, reject)
    })
    outgoing.end(content)
  })
}

function decompress(content: Buffer, encoding: string | undefined): Buffer {
  switch (encoding) {
    case undefined:
      return content
    case 'gzip':
      return gunzipSync(content)
    case 'deflate':
      return inflateSync(content)
    default:
      throw new Error(`The client cannot read ${encoding}`)
  }
}
