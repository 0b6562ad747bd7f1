/**
 * Returns the page that a link to the login names, if the console has it; else the first page. A browser leaves tabs and line
 * breaks out of a URL, takes backslashes for slashes and resolves `..`, so it is the result that is checked.
 */
export function ownPage(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/') || /[\p{Cc}\\]/u.test(next)) return '/'
  const base = 'http://console.invalid'
  if (!URL.canParse(next, base)) return '/'
  const { origin, pathname, search, hash } = new URL(next, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
