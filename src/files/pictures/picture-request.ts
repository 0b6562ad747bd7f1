import { errors } from '../../errors.ts'
import { parseMogr } from './parse-mogr.ts'
import { parseView } from './parse-view.ts'
import type { PictureOperation, PictureOutput, PictureRequest, PictureStep } from './picture-steps.ts'

/** Maximum characters of a request, and maximum number of steps. */
const LONGEST = 1000
const MAX_STEPS = 20

const HEAD = /^image(?:View2?|Mogr2?|slim)(?:[/|]|$)|^imageInfo$/i

const PLAIN: PictureOutput = { format: null, quality: null, progressive: false, strip: false }

/**
 * Parses the picture operations in the query string of a file's URL, in the syntax of the hosted service's CDN (protocol/files,
 * Pictures).
 * @param queryString the raw text after the `?`
 * @returns null when it contains no picture request or an unknown operation; the original file is then sent
 * @throws ApiError 400 for an invalid value of a known parameter, or when the request is too long or has too many steps
 */
export function parsePictureRequest(queryString: string): PictureRequest | null {
  const text = requestIn(queryString)
  if (text === null) return null
  if (text.length > LONGEST) throw errors.badArgument(`A picture request must have at most ${LONGEST} characters.`)
  if (/^imageInfo$/i.test(text)) return { kind: 'info', cacheKey: 'info', ignoreError: false }

  const operations = text.split('|').map(parseOperation)
  if (!operations.every((operation) => operation !== null)) return null
  return chained(operations)
}

/** Returns the part of the query that is a picture request. Some clients append a `=`, as after any parameter name. */
function requestIn(queryString: string): string | null {
  for (const part of queryString.split('&', 20)) {
    // Other parameters may have long values, which are skipped.
    if (!/^image/i.test(part)) continue
    if (part.length > LONGEST * 3)
      throw errors.badArgument(`A picture request must have at most ${LONGEST} characters.`)
    const text = decoded(part)?.replace(/=$/, '')
    if (text !== undefined && HEAD.test(text)) return text
  }
  return null
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function parseOperation(text: string): PictureOperation | null {
  const [name = '', ...words] = text.replace(/\/$/, '').split('/')
  switch (name.toLowerCase()) {
    case 'imageview2':
      return parseView(words, false)
    case 'imageview':
      return parseView(words, true)
    case 'imagemogr2':
      return parseMogr(words)
    case 'imagemogr':
      return parseMogr(words[0] === 'v2' ? words.slice(1) : words)
    case 'imageslim':
      return words.length === 0 ? { steps: [], output: {}, ignoreError: false } : null
    default:
      return null
  }
}

/** Chains operations: each works on the result of the previous one, and inherits the output options that it does not set. */
function chained(operations: readonly PictureOperation[]): PictureRequest {
  const steps: readonly PictureStep[] = operations.flatMap((operation) => operation.steps)
  if (steps.length > MAX_STEPS) throw errors.badArgument(`A picture request must have at most ${MAX_STEPS} steps.`)
  let output = PLAIN
  for (const operation of operations) output = { ...output, ...operation.output }
  const ignoreError = operations.some((operation) => operation.ignoreError)
  return { kind: 'picture', steps, output, ignoreError, cacheKey: JSON.stringify([steps, output]) }
}
