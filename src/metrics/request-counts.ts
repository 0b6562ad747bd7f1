import { Counter, Histogram, type Registry } from 'prom-client'
import type { Counted } from '../health-history/figures.ts'
import { LATENCY_BOUNDS } from '../health-history/latency.ts'

/** Milliseconds from which on a request counts as slow, and maximum number of slow requests that are kept. */
const SLOW = 1000
const MAX_SLOW = 100

/** A completed request. */
export interface ObservedRequest {
  readonly method: string
  /** The pattern of the path, never the path itself, because labels must be few. */
  readonly route: string
  /** See `metricClassOf` of `api/route.ts`. */
  readonly class: string
  readonly status: number
  readonly milliseconds: number
}

/** A slow request. */
export interface SlowRequest extends Omit<ObservedRequest, 'class'> {
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

interface Series {
  readonly ofRoute: Histogram.Internal<string>
  readonly ofClass: Histogram.Internal<string>
  readonly requests: Counter.Internal
}

/**
 * Counts requests: by route for the console, and for Prometheus as one counter by route and status and one histogram by class. A
 * histogram by route would be thousands of series.
 */
export class RequestCounts {
  readonly #routes = new Histogram({
    name: 'homeport_route_duration_seconds',
    help: 'Not exported.',
    labelNames: ['method', 'route', 'status'],
    buckets: [...LATENCY_BOUNDS],
    registers: [],
  })
  readonly #durations: Histogram
  readonly #requests: Counter
  readonly #failures: Counter
  readonly #slow: SlowRequest[] = []
  readonly #series = new Map<string, Series>()

  constructor(registry: Registry) {
    this.#requests = new Counter({
      name: 'homeport_http_requests_total',
      help: 'Completed HTTP requests. class is the limit that the endpoint counts against, or the kind of its callers.',
      labelNames: ['class', 'method', 'route', 'status'],
      registers: [registry],
    })
    this.#durations = new Histogram({
      name: 'homeport_http_request_duration_seconds',
      help: 'Time from the arrival of an HTTP request to its response.',
      labelNames: ['class'],
      buckets: [...LATENCY_BOUNDS],
      registers: [registry],
    })
    this.#failures = new Counter({
      name: 'homeport_http_unexpected_errors_total',
      help: 'HTTP requests that failed with a status of 500 or higher.',
      registers: [registry],
    })
  }

  observe(request: ObservedRequest): void {
    const { method, route, status, milliseconds } = request
    const { ofRoute, ofClass, requests } = this.#seriesOf(request)
    const seconds = milliseconds / 1000
    ofRoute.observe(seconds)
    ofClass.observe(seconds)
    requests.inc()
    if (milliseconds < SLOW) return
    this.#slow.unshift({ method, route, status, milliseconds, at: new Date().toISOString() })
    if (this.#slow.length > MAX_SLOW) this.#slow.pop()
  }

  countFailure(): void {
    this.#failures.inc()
  }

  /** Requests that took a second or more, newest first. */
  get slow(): readonly SlowRequest[] {
    return this.#slow
  }

  /** Returns the counts by route. */
  async routes(): Promise<CountedRoute[]> {
    const routes = new Map<string, { -readonly [name in keyof CountedRoute]: CountedRoute[name] }>()
    for (const { labels, value, metricName } of (await this.#routes.get()).values) {
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

  #seriesOf({ class: kind, method, route, status }: ObservedRequest): Series {
    const key = `${method} ${route} ${status}`
    const known = this.#series.get(key)
    if (known) return known
    const series = {
      ofRoute: this.#routes.labels(method, route, String(status)),
      ofClass: this.#durations.labels(kind),
      requests: this.#requests.labels(kind, method, route, String(status)),
    }
    this.#series.set(key, series)
    return series
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
