/** `https://example.org`, `http://localhost:8080`, `https://*.example.org`, `capacitor://localhost`; `null` for pages without one. */
const PATTERN = /^[a-z][a-z\d+.-]*:\/\/(\*\.)?[^\s/?#*@]+$/i

/** @returns whether it names web origins as `security.webOrigins` does */
export function isWebOriginPattern(text: string): boolean {
  return text === 'null' || PATTERN.test(text)
}

/**
 * Whether a page may ask the app. Whoever is no web page says no origin, and is always let through.
 * @param allowed `security.webOrigins`: none for all
 * @param origin header `Origin`
 */
export function allowsOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined || allowed.length === 0) return true
  const asked = canonical(origin)
  return allowed.some((pattern) => matches(canonical(pattern), asked))
}

/**
 * Whether an origin is that of the server itself: of its own pages, and of clients that name the server for want of a
 * page, as React Native does for WebSockets.
 * @param host the server as the client named it, with the port if it named one
 */
export function isOwnOrigin(origin: string, host: string | null): boolean {
  return host !== null && /^https?:/i.test(origin) && canonical(origin).split('//')[1] === hostOf(origin, host)
}

function matches(pattern: string, origin: string): boolean {
  const star = pattern.indexOf('://*.')
  if (star < 0) return pattern === origin
  const [scheme, suffix] = [pattern.slice(0, star + 3), pattern.slice(star + 4)]
  // With the dot: `https://*.example.org` is neither `https://badexample.org` nor `https://example.org`.
  if (!origin.startsWith(scheme) || !origin.endsWith(suffix)) return false
  return /^[\w.-]+$/.test(origin.slice(scheme.length, -suffix.length))
}

/** In lower case and without the port that goes without saying, as browsers write it. */
function canonical(origin: string): string {
  const lower = origin.toLowerCase()
  if (lower.startsWith('https://')) return lower.replace(/:443$/, '')
  return lower.startsWith('http://') ? lower.replace(/:80$/, '') : lower
}

/** The host as it would stand in an origin of the same scheme. */
function hostOf(origin: string, host: string): string {
  const scheme = origin.slice(0, origin.indexOf('//') + 2)
  return canonical(scheme + host).split('//')[1]!
}
