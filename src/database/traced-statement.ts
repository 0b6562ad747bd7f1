import { currentTracer } from '../tracing/tracer.ts'

const SYSTEM = { 'db.system.name': 'postgresql' } as const

/** Maximum length of a statement in a span, in characters. */
const MAX_TEXT = 2000

/**
 * Runs a statement in a span, if traces are on.
 * @param text of the statement, which contains no values: these are always parameters
 */
export function tracedStatement<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  const tracer = currentTracer()
  if (!tracer) return work()
  const [operation = 'SQL'] = /[A-Z]+/i.exec(text) ?? []
  const attributes = { ...SYSTEM, 'db.operation.name': operation, 'db.query.text': text.trim().slice(0, MAX_TEXT) }
  return tracer.span({ name: operation, kind: 'client', attributes }, work)
}

/** Runs a transaction in a span, if traces are on. */
export function tracedTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const tracer = currentTracer()
  if (!tracer) return work()
  return tracer.span({ name: 'TRANSACTION', kind: 'client', attributes: SYSTEM }, work)
}
