/** JavaScript media types: a browser runs a file of such a type as a script (WHATWG MIME Sniffing, "JavaScript MIME type"). */
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

/** Documents, style sheets, WebAssembly and Flash, and multipart containers that can hold documents. */
const ACTIVE =
  /^(text\/(html|css|xsl|xml)|application\/(xml|xhtml\+xml|xslt\+xml|wasm|x-shockwave-flash)|(?!image\/).*[+/]xml|(multipart|message)\/.*)$/

/**
 * Returns whether a type is a JavaScript media type.
 * @param essence `type/subtype` in lower case
 */
export function isScriptType(essence: string): boolean {
  return JAVASCRIPT.has(essence)
}

/**
 * Returns whether a browser could run code from a file of this type, or apply it as a style sheet, when the file shares an origin
 * with the page.
 * @param essence `type/subtype` in lower case
 */
export function isActiveType(essence: string): boolean {
  return isScriptType(essence) || ACTIVE.test(essence)
}
