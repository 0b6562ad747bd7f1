import { createHash, createHmac } from 'node:crypto'

/** A call of an Alibaba Cloud API whose parameters are all in the query. */
export interface AlibabaCall {
  readonly host: string
  readonly action: string
  /** Version of the API, as `2017-05-25`. */
  readonly version: string
  /** What `canonicalQuery` made, word for word as it is sent. */
  readonly query: string
  readonly date: Date
  /** Different for every call; the API takes each one once. */
  readonly nonce: string
}

/**
 * The headers of a POST request, signed with ACS3-HMAC-SHA256: an HMAC with the plain key over a hash of the request.
 * Every header that is signed must be sent, `host` among them.
 */
export function alibabaHeaders(call: AlibabaCall, keyId: string, keySecret: string): Record<string, string> {
  const noBody = sha256('')
  const headers = {
    'x-acs-action': call.action,
    'x-acs-content-sha256': noBody,
    'x-acs-date': call.date.toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': call.nonce,
    'x-acs-version': call.version,
  }
  const signed = Object.entries({ host: call.host, ...headers })
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const request = ['POST', '/', call.query, lines, names, noBody].join('\n')
  const signature = createHmac('sha256', keySecret)
    .update(`ACS3-HMAC-SHA256\n${sha256(request)}`)
    .digest('hex')
  const authorization = `ACS3-HMAC-SHA256 Credential=${keyId},SignedHeaders=${names},Signature=${signature}`
  return { ...headers, authorization }
}

/** Parameters in the order of their names, encoded as RFC 3986 has it. */
export function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.keys(parameters)
    .sort()
    .map((name) => `${encoded(name)}=${encoded(parameters[name]!)}`)
    .join('&')
}

/** `encodeURIComponent` leaves five characters that RFC 3986 reserves, and throws at half a surrogate pair. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
