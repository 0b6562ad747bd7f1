import type { Readable } from 'node:stream'
import type { SignRequest } from '../hooks/client-sign.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import { withGeoPointFloats } from './geo-point-floats.ts'
import type { Server } from './server-context.ts'

/** What an endpoint is a function of. HTTP, the text/plain tunnel, a batch and tests are ways to make one. */
export interface Call {
  readonly app: RunningApp
  readonly caller: Caller
  /** Values of the `:name` parts of the path, decoded. */
  readonly params: { readonly [name: string]: string }
  /**
   * The parameters of the URL alone, for endpoints whose body is data: texts, or JSON values where the call did not come
   * by URL.
   */
  readonly query: Parameters
  /** The parsed body; `{}` when there was none. */
  readonly body: unknown
  /**
   * The parameters of URL and body, for endpoints whose body is no data (protocol/conventions, Parameters).
   * @throws ApiError 107 for a body that is no JSON object
   */
  readonly parameters: Parameters
  /** `X-LC-Prod`: which environment's hooks a write triggers; production unless it says otherwise. */
  readonly production: boolean
  /** The session token that came with the call, whoever's it is. */
  readonly session: string | undefined
  /** `X-LC-IM-Session-Token`: by which a client of messaging says who it is. */
  readonly clientToken: string | undefined
  readonly requestId: string
  /** The parts of the program that belong to no single app. */
  readonly server: Server
  /** Where clients reach the server: the configured public URL, else what the request was sent to. No trailing slash. */
  readonly baseUrl: string
  /** Where links in mails lead; unlike `baseUrl` nothing that a stranger can claim. No trailing slash. */
  readonly mailUrl: () => string
  /** What the client says of itself, in `X-LC-UA` or `User-Agent`. */
  readonly userAgent: string
  /** Finds the endpoint that another call would reach; null: there is none. */
  readonly endpointAt: (method: string, path: string) => CalledEndpoint | null
  /** Makes another call as the same caller: the items of a batch. */
  readonly dispatch: (method: string, path: string, query: Parameters, body: unknown) => Promise<Answer>
}

/** An endpoint by its path, with the values of its `:name` parts. */
interface CalledEndpoint {
  readonly route: { readonly path: string }
  readonly params: Call['params']
}

/** A body that is no JSON but the content of a file. */
export class RawBody {
  readonly bytes: Buffer
  /** null: none was given */
  readonly contentType: string | null

  constructor(bytes: Buffer, contentType: string | null) {
    this.bytes = bytes
    this.contentType = contentType
  }
}

/** Who asks for a signature, and of which environment. */
export function signRequestOf({ production, caller }: Call): SignRequest {
  return { production, clientAddress: caller.origin?.clientAddress }
}

export const JSON_TYPE = 'application/json;charset=utf-8'

/** JSON that is text already and goes out as it is. */
export class JsonText {
  /** Texts that follow each other. None ends within a value: of megabytes a copy in one piece would be dear. */
  readonly parts: readonly string[]

  constructor(...parts: readonly string[]) {
    this.parts = parts
  }

  get text(): string {
    return this.parts.length === 1 ? this.parts[0]! : this.parts.join('')
  }
}

/**
 * The answer to a query.
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

/** A page for people. It brings all its headers. */
export class HtmlText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A picture that is made for this answer. */
export class ImageBody {
  readonly bytes: Buffer
  readonly contentType: string

  constructor(bytes: Buffer, contentType: string) {
    this.bytes = bytes
    this.contentType = contentType
  }
}

/** A file that is streamed out. */
export class FileBody {
  readonly path: string
  /** bytes */
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

/** Bytes with headers of their own; null: the headers alone. */
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

/** A page with its headers (api/pages/page.ts). */
export function html(text: string, headers: { readonly [name: string]: string }, status = 200): Answer {
  return { status, body: new HtmlText(text), headers }
}

/** 201 with the relative `Location` of the new object (protocol/conventions, Responses). */
export function created(className: string, id: string, body: object | JsonText): Answer {
  return { status: 201, body, headers: { location: `/1.1/classes/${className}/${id}` } }
}

export function textOf({ body }: Answer): string {
  return withGeoPointFloats(body instanceof JsonText ? body.text : JSON.stringify(body))
}

/** The same in parts, with GeoPoints as they are stored (`withGeoPointFloats`). */
export function partsOf({ body }: Answer): readonly string[] {
  return body instanceof JsonText ? body.parts : [JSON.stringify(body)]
}
