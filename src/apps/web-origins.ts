/**
 * `https://example.org`, `http://localhost:8080`, `https://*.example.org`, `capacitor://localhost`; `null` for pages
 * without an origin.
 */
const PATTERN = /^[a-z][a-z\d+.-]*:\/\/(\*\.)?[^\s/?#*@]+$/i

/** @returns whether the text is a valid entry of `security.webOrigins` */
export function isWebOriginPattern(text: string): boolean {
  return text === 'null' || PATTERN.test(text)
}

/**
 * Returns whether a page may call the app. Clients that are not web pages send no origin and are always allowed.
 * @param allowed `security.webOrigins`: empty for all
 * @param origin header `Origin`
 */
export function allowsOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined || allowed.length === 0) return true
  const requested = canonical(origin)
  return allowed.some((pattern) => matches(canonical(pattern), requested))
}

/**
 * Returns whether an origin is that of the server itself: of its own pages, and of clients that send the server's
 * origin because they have no page, such as React Native for WebSockets.
 * @param host the server as named by the client, with the port if the client sent one
 */
export function isOwnOrigin(origin: string, host: string | null): boolean {
  return host !== null && /^https?:/i.test(origin) && canonical(origin).split('//')[1] === hostOf(origin, host)
}

function matches(pattern: string, origin: string): boolean {
  const star = pattern.indexOf('://*.')
  if (star < 0) return pattern === origin
  const [scheme, suffix] = [pattern.slice(0, star + 3), pattern.slice(star + 4)]
  // Includes the dot: `https://*.example.org` matches neither `https://badexample.org` nor `https://example.org`.
  if (!origin.startsWith(scheme) || !origin.endsWith(suffix)) return false
  return /^[\w.-]+$/.test(origin.slice(scheme.length, -suffix.length))
}

/** Returns an origin in lower case and without the default port, as browsers write it. */
function canonical(origin: string): string {
  const lower = origin.toLowerCase()
  if (lower.startsWith('https://')) return lower.replace(/:443$/, '')
  return lower.startsWith('http://') ? lower.replace(/:80$/, '') : lower
}

/** Returns the host in the form of an origin with the same scheme. */
function hostOf(origin: string, host: string): string {
  const scheme = origin.slice(0, origin.indexOf('//') + 2)
  return canonical(scheme + host).split('//')[1]!
}
