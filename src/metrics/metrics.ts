import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { coalesce } from '../database/coalesce.ts'
import { RequestCounts } from './request-counts.ts'

/** A value of a metric, with a value for each of its labels. */
export interface Sample {
  readonly labels: readonly string[]
  readonly value: number
}

/** A number, samples by labels, or null for no value. */
type Reading = number | null | readonly Sample[]

/**
 * A metric whose value another part of the server knows. It is read for each scrape, so an expensive value is wrapped in
 * `measured`.
 */
interface MetricSource {
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly labels?: readonly string[]
  /** Returns the current value. When it throws, the metric has no value. */
  readonly read: () => Reading | Promise<Reading>
}

export type MetricSources = { readonly [name: string]: MetricSource }

/** Metrics of the library whose names break the conventions of Prometheus: gauges that end in `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The metrics of the process for Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly requests: RequestCounts
  /** Formatting takes milliseconds: concurrent scrapes share the next text. */
  readonly #textTogether = coalesce<void, string>(
    async (requests) => {
      const text = await this.#registry.metrics()
      return requests.map(() => ({ result: text }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )

  /** @param sources by the name of the metric */
  constructor(sources: MetricSources) {
    collectDefaultMetrics({ register: this.#registry })
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name)
    this.requests = new RequestCounts(this.#registry)
    for (const [name, source] of Object.entries(sources)) register(this.#registry, name, source)
  }

  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#textTogether()
  }

  get contentType(): string {
    return this.#registry.contentType
  }
}

function register(registry: Registry, name: string, { type, help, labels = [], read }: MetricSource): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  const named = (values: readonly string[]) => Object.fromEntries(labels.map((label, index) => [label, values[index]!]))
  if (type === 'gauge') {
    new Gauge({
      ...options,
      async collect() {
        const samples = await samplesOf(read)
        this.reset()
        if (samples.length === 0 && labels.length === 0) this.remove()
        for (const { labels, value } of samples) this.set(named(labels), value)
      },
    })
    return
  }
  new Counter({
    ...options,
    async collect() {
      const samples = await samplesOf(read)
      this.reset()
      if (samples.length === 0 && labels.length === 0) this.remove()
      for (const { labels, value } of samples) this.inc(named(labels), value)
    },
  })
}

async function samplesOf(read: MetricSource['read']): Promise<readonly Sample[]> {
  try {
    const reading = await read()
    if (reading === null) return []
    return typeof reading === 'number' ? [{ labels: [], value: reading }] : reading
  } catch {
    return []
  }
}
