import { ApiError } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import type { Engine } from './engine.ts'
import { parsed } from './engine-call.ts'
import { type FunctionCall, runFunction } from './functions.ts'

/** How a function ended that no client waits for. */
export interface Outcome {
  /** The HTTP status that a client would have seen. */
  readonly status: number
  /** What the engine answered; null when it did not: whether the function has run is not known then. */
  readonly answer: JsonObject | null
  /** Why it failed, in a few words; null when it did not. */
  readonly error: string | null
}

/** Characters of an error that are kept. */
const MAX_ERROR = 500

/**
 * Runs a function as the app's own work, with the authority of the master key (protocol/cloud-code, Scheduled and
 * queued functions).
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
  // The database takes no NUL.
  return typeof error === 'string' ? error.replaceAll('\0', '').slice(0, MAX_ERROR) : `HTTP status ${status}`
}
