import type { IncomingHttpHeaders } from 'node:http'

type SpanAttributes = { readonly [name: string]: string | number | boolean }

export interface SpanOptions {
  readonly name: string
  readonly kind: 'server' | 'client'
  /** By the semantic conventions of OpenTelemetry. Never URLs, which may contain secrets. */
  readonly attributes: SpanAttributes
  /** The request that a server span is about; its id becomes that of the span (`request-id.ts`). */
  readonly request?: { readonly id: string; readonly headers: IncomingHttpHeaders }
}

/** A span in progress. */
export interface Span {
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the operation as failed. */
  fail(): void
}

export interface Tracer {
  /** Runs work in a span, which ends with it. Spans that begin meanwhile are its children. */
  span<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>
  /** Returns the headers that continue the current trace in another server. */
  headers(): Readonly<Record<string, string>>
  /** Sends the remaining spans. */
  stop(): Promise<void>
}

let tracer: Tracer | null = null

/** Returns the tracer of the process; null while traces are off, which costs nothing more. */
export function currentTracer(): Tracer | null {
  return tracer
}

/** Sets the tracer of the process. */
export function setTracer(next: Tracer | null): void {
  tracer = next
}
