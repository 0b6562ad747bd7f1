import { ApiError, errors } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Engine } from './engine.ts'
import { parsed } from './engine-call.ts'
import { EngineFailure } from './engine-failure.ts'
import type { FunctionCaller } from './engine-headers.ts'
import { isFunctionName } from './function-name.ts'
import { FUNCTION_LIMIT } from './time-limits.ts'

/** The response of a function: always a JSON object, as text. */
export interface FunctionAnswer {
  readonly status: number
  readonly text: string
}

export interface FunctionCall extends FunctionCaller {
  /** `call` if parameters and result use the typed encoding (protocol/cloud-code, Encoding of /1.1/call/). */
  readonly encoding: 'functions' | 'call'
  readonly name: string
  readonly parameters: JsonObject
  /** Milliseconds; 15 seconds by default. */
  readonly timeout?: number
}

/** Maximum length of a response other than JSON that is passed on, in characters. */
const MAX_TEXT = 200

/**
 * Runs a function in the app's cloud code. Holds no resources meanwhile, because the function may call back.
 * @returns the response of the function, also of a failure (protocol/cloud-code, Interface)
 * @throws ApiError 404 for an invalid function name; 503 when the engine is unavailable or too slow
 */
export async function runFunction(engine: Engine, call: FunctionCall): Promise<FunctionAnswer> {
  const { encoding, name, parameters, timeout = FUNCTION_LIMIT, session } = call
  if (!isFunctionName(name)) throw errors.notFound(`Function '${name.slice(0, 60)}' not found.`)
  // A token that cannot be sent in a header is invalid; engines report this code for it.
  if (session !== undefined && !/^[\x20-\x7e]*$/.test(session)) throw errors.userNotFound()
  try {
    // The Node engine matches functions by the escaped name (protocol/cloud-code, Addresses).
    const escaped = encodeURIComponent(name)
    const answer = await engine.run(`${encoding}/${escaped}`, parameters, call, timeout)
    return answer.status === 404 && escaped !== name && answer.text.includes(escaped)
      ? unknownByEscapes(name, escaped)
      : readable(answer)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    engine.noteFailure('functions', error.message)
    if (error.kind === 'timeout') throw functionTimedOut()
    throw call.production || engine.isConfigured(false) ? cloudCodeAway() : stagingMissing()
  }
}

/** protocol/cloud-code, Errors seen by clients */
function stagingMissing(): ApiError {
  return new ApiError(
    503,
    503,
    'The app has no staging engine, which the header X-LC-Prod requests. Set engine.staging, or send X-LC-Prod: 1.',
  )
}

/** The engine is missing or unavailable (protocol/cloud-code, Errors seen by clients). */
function cloudCodeAway(): ApiError {
  return new ApiError(503, 503, 'The cloud code of the app cannot be reached.')
}

function unknownByEscapes(name: string, escaped: string): FunctionAnswer {
  const error = `The engine has no function '${escaped}'. Node.js engines do not undo the escapes of '${name}': define the function under the escaped name, or give it a name of letters a-z, digits, '_', '-' and '.'.`
  return { status: 404, text: JSON.stringify({ code: 1, error }) }
}

/** protocol/cloud-code, Errors seen by clients */
function functionTimedOut(): ApiError {
  return new ApiError(503, 124, 'The request timed out on the server.')
}

/**
 * Returns a response that clients can read: a response other than a JSON object becomes a failure (protocol/cloud-code, Reading
 * the answer; protocol/cloud-code, Interface).
 */
function readable({ status, text }: FunctionAnswer): FunctionAnswer {
  if (status === 200 && text === '') return { status, text: '{}' }
  const isFailure = status >= 400 && status < 600
  if ((isFailure || status === 200) && isJsonObject(parsed(text))) return { status, text }
  const error = (isFailure && plainLine(text)) || `The cloud code returned HTTP status ${status} and no JSON object.`
  return { status: isFailure ? status : 502, text: JSON.stringify({ code: 1, error }) }
}

/** Returns the first line of a plain text. Further lines and HTML pages may reveal internals of the engine. */
function plainLine(text: string): string {
  const line = text.trim().split(/[\r\n]/, 1)[0]!
  return line.startsWith('<') ? '' : line.slice(0, MAX_TEXT)
}
