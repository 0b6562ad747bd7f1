/** The path of a request, without what is asked there. */
export function pathOf({ raw }: { readonly raw: { readonly url?: string | undefined } }): string {
  const url = raw.url!
  const end = url.indexOf('?')
  return versioned(end < 0 ? url : url.slice(0, end))
}

/** SDKs of the first years say `/1/` where newer ones say `/1.1/`. */
export function versioned(path: string): string {
  return path.startsWith('/1/') ? `/1.1/${path.slice(3)}` : path
}
