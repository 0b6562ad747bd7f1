import { createHash, randomBytes } from 'node:crypto'
import type { Reply, RequestOptions, TestApp } from '../support/app.ts'

/** The answer to `POST /1.1/fileTokens`. */
export interface Token {
  readonly objectId: string
  readonly createdAt: string
  readonly key: string
  readonly url: string
  readonly token: string
  readonly upload_url: string
  readonly provider: string
  readonly mime_type: string
  readonly bucket: string
}

export const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Bytes that compress to nothing smaller. */
export const someBytes = (size: number) => randomBytes(size)

export async function askToken(app: TestApp, body: object, options: RequestOptions = {}): Promise<Token> {
  const reply = await app.request('POST', '/1.1/fileTokens', { ...options, body })
  if (reply.status !== 200) throw new Error(`fileTokens: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body as Token
}

export async function put(url: string, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<Reply> {
  return replyOf(await fetch(url, { method: 'PUT', body: Buffer.from(bytes), headers }))
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Uploads as an S3 client does. @returns the token's answer */
export async function upload(
  app: TestApp,
  name: string,
  bytes: Uint8Array,
  wanted: object = {},
  options: RequestOptions = {},
): Promise<Token> {
  const token = await askToken(app, { name, metaData: { size: bytes.length }, ...wanted }, options)
  const reply = await put(token.upload_url, bytes)
  if (reply.status !== 200) throw new Error(`PUT: ${reply.status} ${JSON.stringify(reply.body)}`)
  return token
}

/** The bytes behind a URL; null when there are none. */
export async function fetchBytes(url: string): Promise<Buffer | null> {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return response.status === 200 ? bytes : null
}

/** The MD5 of the bytes behind a URL: to compare millions of them one by one takes a test a minute. */
export async function fetchMd5(url: string): Promise<string | null> {
  const bytes = await fetchBytes(url)
  return bytes && md5(bytes)
}

/** Asks until it is so; a test that waits in vain ends by its time limit. */
export async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 50))
}
