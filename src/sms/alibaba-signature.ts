import { createHash, createHmac } from 'node:crypto'

/** A call of an Alibaba Cloud API with all parameters in the query. */
export interface AlibabaCall {
  readonly host: string
  readonly action: string
  /** Version of the API, such as `2017-05-25`. */
  readonly version: string
  /** The result of `canonicalQuery`, exactly as it is sent. */
  readonly query: string
  readonly date: Date
  /** Unique per call; the API rejects repetitions. */
  readonly nonce: string
}

/**
 * Returns the headers of a POST request, signed with ACS3-HMAC-SHA256: an HMAC with the plain key over a hash of the
 * request. All signed headers have to be sent, including `host`.
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

/** Returns the parameters as a query, sorted by name and encoded by RFC 3986. */
export function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.keys(parameters)
    .sort()
    .map((name) => `${encoded(name)}=${encoded(parameters[name]!)}`)
    .join('&')
}

/** Encodes by RFC 3986, because `encodeURIComponent` leaves five reserved characters and throws on lone surrogates. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
