import type { Readable } from 'node:stream'
import type { SignRequest } from '../hooks/client-sign.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import { withGeoPointFloats } from './geo-point-floats.ts'
import type { Server } from './server-context.ts'

/** A call of an endpoint. It is created from an HTTP request, the text/plain tunnel, an item of a batch, or a test. */
export interface Call {
  readonly app: RunningApp
  readonly caller: Caller
  /** Values of the `:name` parts of the path, decoded. */
  readonly params: { readonly [name: string]: string }
  /** The parameters of the URL only, for endpoints whose body is data: texts, or JSON values if the call is not from a URL. */
  readonly query: Parameters
  /** The parsed body; `{}` when there was none. */
  readonly body: unknown
  /**
   * The parameters of URL and body, for endpoints whose body is not data (protocol/conventions, Parameters).
   * @throws ApiError 107 for a body that is not a JSON object
   */
  readonly parameters: Parameters
  /** From `X-LC-Prod`: whether writes call the hooks of the production environment; true by default. */
  readonly production: boolean
  /** The session token sent with the call; it may be invalid. */
  readonly session: string | undefined
  /** `X-LC-IM-Session-Token`: the token of a client of messaging. */
  readonly clientToken: string | undefined
  readonly requestId: string
  /** The parts of the program that belong to no single app. */
  readonly server: Server
  /** Base URL at which clients reach the server: the configured public URL, else the host of the request. No trailing slash. */
  readonly baseUrl: string
  /** Returns the base URL of links in mails; unlike `baseUrl`, a client cannot forge it. No trailing slash. */
  readonly mailUrl: () => string
  /** The client's `X-LC-UA` or `User-Agent`. */
  readonly userAgent: string
  /** Finds the endpoint that another call would reach; null for none. */
  readonly endpointAt: (method: string, path: string) => CalledEndpoint | null
  /** Makes another call as the same caller, for the items of a batch. */
  readonly dispatch: (method: string, path: string, query: Parameters, body: unknown) => Promise<Answer>
}

/** An endpoint by its path, with the values of its `:name` parts. */
interface CalledEndpoint {
  readonly route: { readonly path: string }
  readonly params: Call['params']
}

/** A body with the content of a file instead of JSON. */
export class RawBody {
  readonly bytes: Buffer
  /** null: not specified */
  readonly contentType: string | null

  constructor(bytes: Buffer, contentType: string | null) {
    this.bytes = bytes
    this.contentType = contentType
  }
}

/** Returns the client and environment of a request for a signature. */
export function signRequestOf({ production, caller }: Call): SignRequest {
  return { production, clientAddress: caller.origin?.clientAddress }
}

export const JSON_TYPE = 'application/json;charset=utf-8'

/** JSON that is already text and is sent unchanged. */
export class JsonText {
  /** Consecutive texts; none ends within a value. Kept in parts, because a joined copy of megabytes is expensive. */
  readonly parts: readonly string[]

  constructor(...parts: readonly string[]) {
    this.parts = parts
  }

  get text(): string {
    return this.parts.length === 1 ? this.parts[0]! : this.parts.join('')
  }
}

/**
 * Returns the response to a query.
 * @param results objects as JSON
 * @param rest further members: `,"count":3`
 */
export function resultsText(results: readonly string[], rest = ''): JsonText {
  return new JsonText('{"results":[', ...withCommas(results), `]${rest}}`)
}

/** Returns texts with a comma between each two, as parts of a JsonText. */
export function withCommas(texts: readonly string[]): string[] {
  return texts.flatMap((text, n) => (n === 0 ? [text] : [',', text]))
}

/** A page for browsers. The response sets all its headers. */
export class HtmlText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An image created for this response. */
export class ImageBody {
  readonly bytes: Buffer
  readonly contentType: string

  constructor(bytes: Buffer, contentType: string) {
    this.bytes = bytes
    this.contentType = contentType
  }
}

/** A file that is streamed. */
export class FileBody {
  readonly path: string
  /** In bytes. */
  readonly size: number
  readonly contentType: string
  readonly downloadName: string

  constructor(path: string, size: number, contentType: string, downloadName: string) {
    this.path = path
    this.size = size
    this.contentType = contentType
    this.downloadName = downloadName
  }
}

/** Bytes with separate headers; null: headers only. */
export class ByteBody {
  readonly bytes: Readable | Buffer | null

  constructor(bytes: Readable | Buffer | null) {
    this.bytes = bytes
  }
}

export interface Answer {
  readonly status: number
  readonly body: object | JsonText | HtmlText | ImageBody | FileBody | ByteBody
  readonly headers?: { readonly [name: string]: string }
}

export function ok(body: object | JsonText, headers?: Answer['headers']): Answer {
  return headers ? { status: 200, body, headers } : { status: 200, body }
}

/** Returns a page with its headers (api/pages/page.ts). */
export function html(text: string, headers: { readonly [name: string]: string }, status = 200): Answer {
  return { status, body: new HtmlText(text), headers }
}

/** Returns 201 with the relative `Location` of the new object (protocol/conventions, Responses). */
export function created(className: string, id: string, body: object | JsonText): Answer {
  return { status: 201, body, headers: { location: `/1.1/classes/${className}/${id}` } }
}

export function textOf({ body }: Answer): string {
  return withGeoPointFloats(body instanceof JsonText ? body.text : JSON.stringify(body))
}

/** Returns the text in parts, with GeoPoints in their stored form (see `withGeoPointFloats`). */
export function partsOf({ body }: Answer): readonly string[] {
  return body instanceof JsonText ? body.parts : [JSON.stringify(body)]
}
