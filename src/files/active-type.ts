/** Every type under which a browser runs a script (WHATWG MIME Sniffing, "JavaScript MIME type"). */
const JAVASCRIPT = new Set([
  'application/ecmascript',
  'application/javascript',
  'application/x-ecmascript',
  'application/x-javascript',
  'text/ecmascript',
  'text/javascript',
  'text/javascript1.0',
  'text/javascript1.1',
  'text/javascript1.2',
  'text/javascript1.3',
  'text/javascript1.4',
  'text/javascript1.5',
  'text/jscript',
  'text/livescript',
  'text/x-ecmascript',
  'text/x-javascript',
])

/** Pages, styles and modules, and containers of pages. */
const ACTIVE =
  /^(text\/(html|css|xsl|xml)|application\/(xml|xhtml\+xml|xslt\+xml|wasm|x-shockwave-flash)|(?!image\/).*[+/]xml|(multipart|message)\/.*)$/

/** @param essence `type/subtype`, lower case */
export function isScriptType(essence: string): boolean {
  return JAVASCRIPT.has(essence)
}

/**
 * Whether a browser could run code of a file, or style a page by it, when the file shares an origin with that page.
 * @param essence `type/subtype`, lower case
 */
export function isActiveType(essence: string): boolean {
  return isScriptType(essence) || ACTIVE.test(essence)
}
