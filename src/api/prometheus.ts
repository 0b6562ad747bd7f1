import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { coalesce } from '../database/coalesce.ts'
import type { Counted } from '../health-history/figures.ts'
import { LATENCY_BOUNDS } from '../health-history/latency.ts'

/** Milliseconds from which on a request counts as slow, and maximum number of slow requests that are kept. */
const SLOW = 1000
const MAX_SLOW = 100

/** A slow request. */
export interface SlowRequest {
  readonly method: string
  /** The pattern of its path */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** ISO: when it ended */
  readonly at: string
}

/** Counts of the requests of a route since the process began. */
export interface CountedRoute extends Counted {
  readonly method: string
  readonly route: string
  /** Total duration */
  readonly seconds: number
}

/** The metrics of the process for Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Histogram
  readonly #failures: Counter
  readonly #slow: SlowRequest[] = []
  readonly #series = new Map<string, Histogram.Internal<string>>()
  /** Formatting takes milliseconds, and the endpoint is public: concurrent requests share the next text. */
  readonly #textTogether = coalesce<void, string>(
    async (requests) => {
      const text = await this.#registry.metrics()
      return requests.map(() => ({ result: text }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )

  constructor(gauges: { readonly [name: string]: { readonly help: string; readonly read: () => number } }) {
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Histogram({
      name: 'homeport_http_request_seconds',
      help: 'Time from the arrival of a request to its response.',
      labelNames: ['method', 'route', 'status'],
      buckets: [...LATENCY_BOUNDS],
      registers: [this.#registry],
    })
    this.#failures = new Counter({
      name: 'homeport_unexpected_errors_total',
      help: 'Requests that failed with an unexpected error.',
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

  /**
   * Counts a request.
   * @param route the pattern of the path, never the path itself, because labels must be few
   */
  observeRequest(method: string, route: string, status: number, milliseconds: number): void {
    const key = `${method} ${route} ${status}`
    let series = this.#series.get(key)
    if (!series) {
      series = this.#requests.labels(method, route, String(status))
      this.#series.set(key, series)
    }
    series.observe(milliseconds / 1000)
    if (milliseconds >= SLOW) this.#noteSlow({ method, route, status, milliseconds, at: new Date().toISOString() })
  }

  /** Requests that took a second or more, newest first. */
  get slow(): readonly SlowRequest[] {
    return this.#slow
  }

  /** Returns the counts by route. */
  async routes(): Promise<CountedRoute[]> {
    const routes = new Map<string, { -readonly [name in keyof CountedRoute]: CountedRoute[name] }>()
    for (const { labels, value, metricName } of (await this.#requests.get()).values) {
      const { method, route, status, le } = labels as { method: string; route: string; status: string; le?: number }
      const key = `${method} ${route}`
      const counted = routes.get(key) ?? { method, route, seconds: 0, ...NOTHING }
      routes.set(key, counted)
      if (metricName?.endsWith('_sum')) counted.seconds += value
      else if (metricName?.endsWith('_count')) {
        counted.requests += value
        if (status.startsWith('4')) counted.refused += value
        if (status.startsWith('5')) counted.failed += value
      } else counted.latency = addGroup(counted.latency, le, value)
    }
    return [...routes.values()].map((counted) => ({ ...counted, latency: apart(counted.latency) }))
  }

  /** Returns the counts of all routes together. */
  async counted(): Promise<Counted> {
    return (await this.routes()).reduce<Counted>(
      (sum, { requests, refused, failed, latency }) => ({
        requests: sum.requests + requests,
        refused: sum.refused + refused,
        failed: sum.failed + failed,
        latency: sum.latency.map((count, group) => count + latency[group]!),
      }),
      NOTHING,
    )
  }

  #noteSlow(request: SlowRequest): void {
    this.#slow.unshift(request)
    if (this.#slow.length > MAX_SLOW) this.#slow.pop()
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

const NOTHING: Counted = {
  requests: 0,
  refused: 0,
  failed: 0,
  latency: Array.from({ length: LATENCY_BOUNDS.length + 1 }, () => 0),
}

/**
 * @param bound of a bucket, `+Inf` for the last one
 * @param count requests in this bucket and those below it
 */
function addGroup(counts: readonly number[], bound: number | string | undefined, count: number): number[] {
  const found = LATENCY_BOUNDS.indexOf(Number(bound) as never)
  return counts.with(found === -1 ? LATENCY_BOUNDS.length : found, counts.at(found)! + count)
}

/** Converts cumulative counts into counts per bucket. */
function apart(counts: readonly number[]): number[] {
  return counts.map((count, group) => count - (counts[group - 1] ?? 0))
}
