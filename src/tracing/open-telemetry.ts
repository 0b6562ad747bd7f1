import {
  type Context,
  context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Span as TelemetrySpan,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Log } from '../log.ts'
import type { Span, SpanOptions, Tracer } from './tracer.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Milliseconds that a stopping server waits for the receiver of the last spans. */
const STOP_TIMEOUT_MS = 5000
/** Milliseconds between two warnings about failed exports: spans are exported every few seconds. */
const WARNING_INTERVAL_MS = 60_000
/** Maximum characters of a reason in the log. */
const MAX_REASON = 500

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

/**
 * Creates a tracer of OpenTelemetry. Its libraries read the variables of sampler, limits, batches, resource, and of the address,
 * headers and timeout of the exporter.
 * @throws Error for an exporter or a protocol that is not supported
 */
export function openTelemetry(environment: Environment, version: string, log: Log): Tracer {
  const warn = throttledWarning(log)
  setGlobalErrorHandler(warn)
  diag.setLogger(diagnostics(warn), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const contexts = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(contexts)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const ids = new RequestIds()
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'homeport', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporterOf(environment))],
  })
  const spans = provider.getTracer('homeport', version)

  const start = ({ name, kind, attributes, request }: SpanOptions): TelemetrySpan => {
    const parent: Context = request ? propagation.extract(ROOT_CONTEXT, request.headers) : context.active()
    if (request) ids.next = request.id
    const span = spans.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parent)
    ids.next = null
    return span
  }

  return {
    async span(options, work) {
      const span = start(options)
      try {
        return await context.with(trace.setSpan(context.active(), span), () => work(wrapped(span)))
      } catch (error) {
        // The message of an error may contain data of users.
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    headers() {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      return headers
    },
    async stop() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_TIMEOUT_MS)
      })
      await Promise.race([provider.shutdown().catch(warn), late])
      clearTimeout(timer)
      context.disable()
      propagation.disable()
      diag.disable()
    },
  }
}

function wrapped(span: TelemetrySpan): Span {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
  }
}

/** Gives the span of a request the ids that its log lines and its response have. */
class RequestIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  /** The id of the request whose span is being created. */
  next: string | null = null

  generateTraceId = (): string => this.next?.split('-')[0] ?? this.#random.generateTraceId()

  generateSpanId = (): string => this.next?.split('-')[1] ?? this.#random.generateSpanId()
}

function exporterOf(environment: Environment): SpanExporter {
  const exporter = environment.OTEL_TRACES_EXPORTER?.trim() || 'otlp'
  if (exporter === 'console') return new ConsoleSpanExporter()
  if (exporter !== 'otlp') throw new Error(`OTEL_TRACES_EXPORTER must be otlp, console or none, not ${exporter}.`)
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf'
  if (protocol === 'http/protobuf') return new ProtobufExporter()
  if (protocol === 'http/json') return new JsonExporter()
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}.`)
}

/** Returns a function that logs a fault of the libraries, at most once in `WARNING_INTERVAL_MS`. */
function throttledWarning(log: Log): (fault: unknown) => void {
  let written = Number.NEGATIVE_INFINITY
  return (fault) => {
    if (performance.now() - written < WARNING_INTERVAL_MS) return
    written = performance.now()
    const reason =
      fault instanceof Error ? fault.message || String((fault as NodeJS.ErrnoException).code) : String(fault)
    log.warn({ reason: reason.slice(0, MAX_REASON) }, 'exporting traces failed')
  }
}

function diagnostics(warn: (fault: unknown) => void): DiagLogger {
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}
