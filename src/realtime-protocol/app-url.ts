/**
 * Returns the path of the WebSocket for clients that do not name their app in commands: those for Java 6.4 and 6.5 without push
 * login. They request the address with the app id (protocol/realtime, RTM router).
 */
export function pathOfApp(appId: string): string {
  return `app/${encodeURIComponent(appId)}`
}

/** Returns the app of a URL that was made by `pathOfApp`; null for any other URL. */
export function appOfUrl(url: string): string | null {
  return /^\/app\/([\w-]{1,64})\/?(?:\?|$)/.exec(url)?.[1] ?? null
}
