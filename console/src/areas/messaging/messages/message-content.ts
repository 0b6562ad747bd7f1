/** The type of a message, as far as the console can display it. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'image' | 'audio' | 'video' | 'file'
      /** null when browsers should not open it */
      readonly url: string | null
      readonly name: string
      /** Bytes; null when unknown */
      readonly size: number | null
      /** The text sent with it. */
      readonly text: string
    }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly text: string }
  | { readonly kind: 'json'; readonly type: number | null; readonly json: string }
  | { readonly kind: 'binary'; readonly bytes: number }

interface Fields {
  readonly [name: string]: unknown
}

/** Standard message types, by `_lctype`. */
const FILES = { '-2': 'image', '-3': 'audio', '-4': 'video', '-6': 'file' } as const
const TEXT = -1
const LOCATION = -5

/** @param content as sent; base64 when binary */
export function contentOf(content: string, binary: boolean): Content {
  if (binary) return { kind: 'binary', bytes: Math.floor((content.replace(/=+$/, '').length * 3) / 4) }
  const fields = fieldsIn(content)
  if (!fields) return { kind: 'text', text: content }
  const type = typeof fields._lctype === 'number' ? fields._lctype : null
  const text = textOf(fields._lctext)
  if (type === TEXT) return { kind: 'text', text }
  if (type === LOCATION) {
    const { latitude, longitude } = below(fields._lcloc)
    if (typeof latitude === 'number' && typeof longitude === 'number')
      return { kind: 'location', latitude, longitude, text }
  }
  const kind = FILES[String(type) as keyof typeof FILES]
  if (kind) return { kind, text, ...fileIn(below(fields._lcfile)) }
  return { kind: 'json', type, json: JSON.stringify(fields, null, 2) }
}

function fileIn(file: Fields) {
  const data = below(file.metaData)
  return {
    url: safeUrl(file.url),
    name: textOf(data.name),
    size: typeof data.size === 'number' ? data.size : null,
  }
}

/** Returns only web URLs: others could run as scripts. */
function safeUrl(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}

function fieldsIn(text: string): Fields | null {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text) as Fields
  } catch {
    return null
  }
}

function below(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
