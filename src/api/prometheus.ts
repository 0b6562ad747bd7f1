import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { coalesce } from '../database/coalesce.ts'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** What the process tells Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Histogram
  readonly #failures: Counter
  readonly #series = new Map<string, Histogram.Internal<string>>()
  /** Writing the text costs milliseconds, and anybody may ask for it: who asks meanwhile shares the next one. */
  readonly #textTogether = coalesce<void, string>(
    async (askers) => {
      const text = await this.#registry.metrics()
      return askers.map(() => ({ result: text }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )

  constructor(gauges: { readonly [name: string]: { readonly help: string; readonly read: () => number } }) {
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Histogram({
      name: 'homeport_http_request_seconds',
      help: 'Time from the arrival of a request to its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [this.#registry],
    })
    this.#failures = new Counter({
      name: 'homeport_unexpected_errors_total',
      help: 'Requests that ended with an error of our own.',
      registers: [this.#registry],
    })
    for (const [name, { help, read }] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          this.set(read())
        },
      })
    }
  }

  /** @param route the pattern of the path, never the path itself: labels must be few */
  observeRequest(method: string, route: string, status: number, milliseconds: number): void {
    const key = `${method} ${route} ${status}`
    let series = this.#series.get(key)
    if (!series) {
      series = this.#requests.labels(method, route, String(status))
      this.#series.set(key, series)
    }
    series.observe(milliseconds / 1000)
  }

  countFailure(): void {
    this.#failures.inc()
  }

  text(): Promise<string> {
    return this.#textTogether()
  }

  get contentType(): string {
    return this.#registry.contentType
  }
}
