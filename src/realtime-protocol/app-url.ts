/**
 * The path by which a client that never names its app opens its WebSocket: those for Java 6.4 and 6.5 without push login
 * leave it out of every command, but ask for the address with it (protocol/realtime, RTM router).
 */
export function pathOfApp(appId: string): string {
  return `app/${encodeURIComponent(appId)}`
}

/** The app that a URL made by `pathOfApp` names; null for any other. */
export function appOfUrl(url: string): string | null {
  return /^\/app\/([\w-]{1,64})\/?(?:\?|$)/.exec(url)?.[1] ?? null
}
