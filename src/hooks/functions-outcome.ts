import { ApiError } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Engine } from './engine.ts'
import { parsed } from './engine-call.ts'
import { type FunctionCall, runFunction } from './functions.ts'

/** The outcome of a function that was called in the background. */
export interface Outcome {
  /** The HTTP status that a client would have received. */
  readonly status: number
  /** The response of the engine; null without one, in which case it is unknown whether the function has run. */
  readonly answer: JsonObject | null
  /** A short reason of a failure; null for success. */
  readonly error: string | null
}

/** Maximum length of a stored error, in characters. */
const MAX_ERROR = 500

/**
 * Runs a function on behalf of the app, with the authority of the master key (protocol/cloud-code, Scheduled and queued
 * functions).
 */
export async function outcomeOf(engine: Engine, call: Omit<FunctionCall, 'encoding' | 'master'>): Promise<Outcome> {
  try {
    const { status, text } = await runFunction(engine, { ...call, encoding: 'functions', master: true })
    const value = parsed(text)
    const answer = isJsonObject(value) ? value : {}
    return { status, answer, error: status === 200 ? null : errorIn(answer, status) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, answer: null, error: error.message }
  }
}

function errorIn({ error }: JsonObject, status: number): string {
  // The database cannot store NUL characters.
  return typeof error === 'string' ? error.replaceAll('\0', '').slice(0, MAX_ERROR) : `HTTP status ${status}`
}
