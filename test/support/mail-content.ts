/** A parsed mail. */
export interface MailContent {
  /** By lower-case name, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>
  readonly subject: string
  readonly text: string
  /** null: the mail has no HTML */
  readonly html: string | null
}

interface Part {
  readonly type: string
  readonly text: string
}

/** Parses a raw mail: headers and parts in the usual encodings (RFC 2045 to 2047). */
export function readMail(raw: string): MailContent {
  const { headers, body } = divide(raw)
  const parts = partsOf(headers, body)
  const find = (type: string) => parts.find((part) => part.type === type)?.text
  return {
    headers,
    subject: headers.get('subject') ?? '',
    text: find('text/plain') ?? '',
    html: find('text/html') ?? null,
  }
}

/**
 * Returns the only link on a separate line of an account mail.
 * @throws Error when there is none, or several
 */
export function linkIn({ text }: MailContent): string {
  const links = text
    .split('\n')
    .filter((line) => /^https?:\/\/\S+\/1\.1\/(verifyEmail|resetPassword)\/[\w-]+$/.test(line))
  if (links.length !== 1) throw new Error(`The mail has ${links.length} links:\n${text}`)
  return links[0]!
}

function divide(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\n\n')
  const lines = raw
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
  const headers = new Map(lines.map((line) => [nameOf(line), decodeWords(line.slice(line.indexOf(':') + 1).trim())]))
  return { headers, body: raw.slice(end + 2) }
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).toLowerCase()
}

function partsOf(headers: ReadonlyMap<string, string>, body: string): Part[] {
  const type = headers.get('content-type') ?? 'text/plain'
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1]
  if (boundary === undefined) {
    return [{ type: type.split(';')[0]!, text: decodeBody(headers.get('content-transfer-encoding') ?? '7bit', body) }]
  }
  const inner = body.split(`--${boundary}--`)[0]!.split(`--${boundary}\n`).slice(1)
  return inner.flatMap((raw) => {
    const part = divide(raw)
    return partsOf(part.headers, part.body.replace(/\n$/, ''))
  })
}

function decodeBody(encoding: string, body: string): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString()
    case 'quoted-printable':
      return decodeQuoted(body.replace(/=[ \t]*\n/g, ''))
    default:
      return body
  }
}

/** Decodes words such as `=?UTF-8?B?…?=`; a space between two of them is not part of the text. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    )
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
