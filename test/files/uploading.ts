import { createHash, randomBytes } from 'node:crypto'
import type { Reply, RequestOptions, TestApp } from '../support/app.ts'

/** The response to `POST /1.1/fileTokens`. */
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

/** Returns incompressible bytes. */
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

/**
 * Uploads as an S3 client does.
 * @returns the token response
 */
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

/** Fetches the bytes at a URL; null when there are none. */
export async function fetchBytes(url: string): Promise<Buffer | null> {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return response.status === 200 ? bytes : null
}

/** Fetches the MD5 of the bytes at a URL: comparing millions of bytes one by one takes a minute. */
export async function fetchMd5(url: string): Promise<string | null> {
  const bytes = await fetchBytes(url)
  return bytes && md5(bytes)
}

/** Polls until the condition holds; otherwise the test times out. */
export async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 50))
}
