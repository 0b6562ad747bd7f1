import { parentPort } from 'node:worker_threads'
import autocannon, { type Client, type Options, type Request, type Result } from 'autocannon'
import type { Load, LoadReport } from './load.ts'
import { runPaced } from './paced-load.ts'

/**
 * The counter of autocannon's client: it sends no further request once it has sent `responseMax`. A timed run of autocannon
 * closes its connections and leaves requests with unknown outcome; lowering this number instead lets each connection end with a
 * response, so that acknowledged requests can be compared exactly with stored data.
 */
interface CountingClient extends Client {
  responseMax: number
  readonly reqsMade: number
}

/** Each connection repeats this many requests, a window of the whole list; the windows together cover the list. */
const WINDOW = 128

/** Timeout of a request, in seconds. */
const TIMEOUT_MS = 30

const port = parentPort!
port.on('message', (load: Load) => {
  const running = load.rate === undefined ? run(load) : runPaced(load, load.rate)
  running.then(
    (report) => port.postMessage(report),
    (error: unknown) => port.postMessage({ fault: String(error) } satisfies LoadReport),
  )
})

async function run({ url, requests, connections, until, minBody }: Load): Promise<LoadReport> {
  const windows = windowsOf(requests, connections)
  const faults = new Map<string, number>()
  const note = (fault: string) => faults.set(fault, (faults.get(fault) ?? 0) + 1)
  const latencies: number[] = []
  let answered = 0
  let started = 0
  let last = 0

  const { mismatches } = await new Promise<Result>((resolve, reject) => {
    const options: Options & { sampleInt: number } = {
      url,
      connections,
      timeout: TIMEOUT_MS,
      // One fault invalidates the whole run; without a server it would never end.
      bailout: 1,
      // The interval of checks for the end, in milliseconds.
      sampleInt: 50,
      requests: [requests[0]!],
      amount: 'amount' in until ? until.amount : Number.MAX_SAFE_INTEGER,
      setupClient: (client) => client.setRequests(windows.pop()!),
      verifyBody: (body) => typeof body === 'string' && body.length >= minBody,
    }
    const running = autocannon(options, (error: Error | null, result) => (error ? reject(error) : resolve(result)))
    running.on('start', () => {
      started = performance.now()
    })
    running.on('reqError', (error: Error) => note(error.message))
    running.on('response', (client, status, _bytes, milliseconds) => {
      last = performance.now()
      const counting = client as CountingClient
      const inTime = 'amount' in until || last - started < until.seconds * 1000
      if (!inTime) counting.responseMax = counting.reqsMade
      if (status < 200 || status > 299) return note(`status ${status}`)
      answered++
      // The first request of a connection waits until all connections are open, which is not the server's latency.
      if (inTime && counting.reqsMade > 1) latencies.push(milliseconds)
    })
  })
  if (mismatches > 0) faults.set(`body shorter than ${minBody} characters`, mismatches)
  if (latencies.length === 0) note('no answer at all')
  if (faults.size > 0) return { fault: [...faults].map(([fault, count]) => `${count} x ${fault}`).join(', ') }
  return {
    fault: null,
    answered,
    counted: latencies.length,
    elapsed: 'amount' in until ? last - started : until.seconds * 1000,
    latencies: Float64Array.from(latencies).sort(),
  }
}

/**
 * Returns the repeated requests of each connection. They start at different positions, so that connections do not run in step.
 */
function windowsOf(requests: Load['requests'], connections: number): Request[][] {
  return Array.from({ length: connections }, (_, connection) => {
    const start = Math.floor((connection * requests.length) / connections)
    return Array.from({ length: Math.min(WINDOW, requests.length) }, (_, step) => ({
      ...requests[(start + step) % requests.length]!,
    }))
  })
}
