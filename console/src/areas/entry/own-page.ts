/**
 * Returns the page named in a login link, if the console has it; else the first page. Browsers remove tabs and line breaks from
 * a URL, convert backslashes to slashes and resolve `..`, so the result is checked.
 */
export function ownPage(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/') || /[\p{Cc}\\]/u.test(next)) return '/'
  const base = 'http://console.invalid'
  if (!URL.canParse(next, base)) return '/'
  const { origin, pathname, search, hash } = new URL(next, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
