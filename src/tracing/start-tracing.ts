import type { Log } from '../log.ts'
import { setTracer } from './tracer.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns whether the standard variables of OpenTelemetry ask for traces: an exporter, or an address to send them to. */
export function wantsTraces(environment: Environment): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  const exporter = environment.OTEL_TRACES_EXPORTER?.trim()
  if (exporter) return exporter !== 'none'
  return Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

/**
 * Starts tracing if the environment asks for it. The libraries are loaded only then.
 * @returns a function that stops it
 * @throws Error with one line for the administrator when a variable has a value that is not supported
 */
export async function startTracing(environment: Environment, version: string, log: Log): Promise<() => Promise<void>> {
  if (!wantsTraces(environment)) return async () => {}
  const { openTelemetry } = await import('./open-telemetry.ts')
  const tracer = openTelemetry(environment, version, log)
  setTracer(tracer)
  log.info({}, 'tracing started')
  return async () => {
    setTracer(null)
    await tracer.stop()
  }
}
