/** A URL in a text that may be the URL of a file. */
interface FoundUrl {
  /** Its start, and the keys that it may end with, the longest first, each with its end. */
  readonly start: number
  readonly keys: readonly { readonly key: string; readonly end: number }[]
  /** Whether the text escapes slashes, as nested JSON may. */
  readonly isEscaped: boolean
}

/** Finds URLs below former hosts, such as `files.example.com` or `example.com/files/app`. */
export type UrlFinder = (text: string) => readonly FoundUrl[]

/** Maximum URLs of a text, and maximum characters of a URL. */
const MAX_URLS = 10_000
const LONGEST = 4000

/** Matches each character of a URL once, so that a text of any length is scanned once. */
const URLS = /https?:((?:\\?\/){2})([a-z0-9.-]{1,253}(?::\d{1,5})?)((?:\\?\/[^\s"'<>\\/?#]+)+)/gi
/** Punctuation after a URL, which is part of it only if a key ends with it. */
const TRAILING_PUNCTUATION = /[).,;:!?\]}*_~]+$/
/** A Chinese sentence continues directly after a URL, without a space. */
const NON_ASCII = /[^\u0021-\u007e]/

/**
 * Finds URLs in texts that may belong to files at former hosts.
 * @param hosts hosts in lower case, followed by the path between host and key, if any; without leading or trailing slashes
 */
export function urlFinder(hosts: readonly string[]): UrlFinder {
  const prefixes = new Map<string, string[]>()
  for (const formerHost of hosts) {
    const [host = '', ...path] = formerHost.split('/')
    const known = prefixes.get(host.toLowerCase()) ?? []
    prefixes.set(host.toLowerCase(), [...known, path.length > 0 ? `${path.join('/')}/` : ''])
  }
  return (text) => {
    const found: FoundUrl[] = []
    for (const match of text.matchAll(URLS)) {
      const [url, slashes = '', host = '', path = ''] = match
      const below = prefixes.get(host.toLowerCase())
      if (!below || url.length > LONGEST) continue
      const pathStart = match.index + url.length - path.length
      const keys = endsOf(path).flatMap((length) => {
        const plain = path.slice(0, length).replaceAll('\\', '').slice(1)
        return below
          .filter((prefix) => plain.startsWith(prefix) && plain.length > prefix.length)
          .flatMap((prefix) => spellings(plain.slice(prefix.length)))
          .map((key) => ({ key, end: pathStart + length }))
      })
      if (keys.length > 0) found.push({ start: match.index, keys, isEscaped: slashes.includes('\\') })
      if (found.length === MAX_URLS) break
    }
    return found
  }
}

/** Returns the possible lengths of the URL's path in the text. */
function endsOf(path: string): number[] {
  const nonAscii = path.search(NON_ASCII)
  const ascii = nonAscii < 0 ? path : path.slice(0, nonAscii)
  const ends = [path, ascii, ascii.replace(TRAILING_PUNCTUATION, '')]
    .map(({ length }) => length)
    .filter((length) => length > 1)
  return [...new Set(ends)]
}

function spellings(path: string): string[] {
  try {
    const decoded = decodeURIComponent(path)
    return decoded === path || decoded.includes('\0') ? [path] : [decoded, path]
  } catch {
    return [path]
  }
}

/**
 * Replaces URLs of files with their new URLs. The text after a URL is kept.
 * @param found the URLs in the same text
 * @param urls new URLs by key
 */
export function withUrls(
  text: string,
  found: readonly FoundUrl[],
  urls: ReadonlyMap<string, string>,
): { readonly text: string; readonly count: number } {
  const pieces: string[] = []
  let from = 0
  let count = 0
  for (const { start, keys, isEscaped } of found) {
    const known = keys.find(({ key }) => urls.has(key))
    if (!known) continue
    const url = urls.get(known.key)!
    pieces.push(text.slice(from, start), isEscaped ? url.replaceAll('/', '\\/') : url)
    from = known.end
    count++
  }
  return { text: pieces.join('') + text.slice(from), count }
}
