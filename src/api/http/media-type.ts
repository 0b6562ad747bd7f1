import type { IncomingMessage } from 'node:http'

/** `type/subtype` as HTTP writes it, with or without parameters behind it. */
const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?=;|$)/

/**
 * Writes the media type of a request in lower case. Forgets one that is none: Java before 7 sends an empty one, and the
 * refusal of such a header says nothing of the body, which can be read without it.
 */
export function normalizeMediaType({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const given = headers['content-type']
  if (given === undefined) return
  const match = MEDIA_TYPE.exec(given)
  // Clients name the type of a body that a GET does not have; without it the body is not waited for.
  if (!match || (method === 'GET' && !hasBody(headers))) delete headers['content-type']
  else headers['content-type'] = match[1]!.toLowerCase() + given.slice(match[0].length)
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
