import { errors } from '../../errors.ts'
import { parseMogr } from './parse-mogr.ts'
import { parseView } from './parse-view.ts'
import type { PictureOperation, PictureOutput, PictureRequest, PictureStep } from './picture-steps.ts'

/** Characters of a request, and steps that it may ask for. */
const LONGEST = 1000
const MOST_STEPS = 20

const HEAD = /^image(?:View2?|Mogr2?|slim)(?:[/|]|$)|^imageInfo$/i

const PLAIN: PictureOutput = { format: null, quality: null, progressive: false, strip: false }

/**
 * Reads what the query string of a file's URL asks to be made of the picture, in the form that the CDN of the hosted service
 * takes (protocol/files, Pictures).
 * @param queryString what stands behind the `?`, as it came
 * @returns null when it asks for no picture, or for something unknown: the answer is the original then
 * @throws ApiError 400 when a known parameter has a value that it cannot have, or when it is too much
 */
export function parsePictureRequest(queryString: string): PictureRequest | null {
  const text = requestIn(queryString)
  if (text === null) return null
  if (text.length > LONGEST) throw errors.badArgument(`A picture request has ${LONGEST} characters at most.`)
  if (/^imageInfo$/i.test(text)) return { kind: 'info', cacheKey: 'info', ignoreError: false }

  const operations = text.split('|').map(parseOperation)
  if (!operations.every((operation) => operation !== null)) return null
  return chained(operations)
}

/** The part of the query that is a picture request. Some clients write a `=` behind it, as behind any name. */
function requestIn(queryString: string): string | null {
  for (const part of queryString.split('&', 20)) {
    // The value of another parameter may be long, and is none of ours.
    if (!/^image/i.test(part)) continue
    if (part.length > LONGEST * 3) throw errors.badArgument(`A picture request has ${LONGEST} characters at most.`)
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

/** Each operation works on the result of the one before; what it does not say of its output, that one has said. */
function chained(operations: readonly PictureOperation[]): PictureRequest {
  const steps: readonly PictureStep[] = operations.flatMap((operation) => operation.steps)
  if (steps.length > MOST_STEPS) throw errors.badArgument(`A picture request has ${MOST_STEPS} steps at most.`)
  let output = PLAIN
  for (const operation of operations) output = { ...output, ...operation.output }
  const ignoreError = operations.some((operation) => operation.ignoreError)
  return { kind: 'picture', steps, output, ignoreError, cacheKey: JSON.stringify([steps, output]) }
}
