import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireRequest } from './contestants/contestant.ts'
import type { Load, LoadReport } from './load.ts'

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 30_000

type Answer = { readonly milliseconds: number } | { readonly fault: string }

/**
 * Sends `rate` requests per second at even intervals, regardless of earlier ones; autocannon would send the requests of a second
 * in one burst. Latency includes waiting for a free connection. It excludes late timers of the generator, about a millisecond,
 * which the server does not cause.
 */
export async function runPaced(load: Load, rate: number): Promise<LoadReport> {
  const { url, requests, connections, until } = load
  const amount = 'amount' in until ? until.amount : Math.round(until.seconds * rate)
  // Round robin over connections; otherwise a single one would be used while the server keeps up.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const request = (n: number) => answerTo(requests[n % requests.length]!, url, agent, load.minBody)
  try {
    // Opens the connections before the measurement.
    const first = await Promise.all(Array.from({ length: connections }, (_, n) => request(n)))
    const began = performance.now()
    const responses: Promise<Answer>[] = []
    for (let n = 0; n < amount; n++) {
      const due = began + (n * 1000) / rate
      for (let early = due - performance.now(); early > 0; early = due - performance.now()) await sleep(early)
      responses.push(request(n))
    }
    const answers = await Promise.all(responses)
    const elapsed = performance.now() - began
    const faults = [...first, ...answers].flatMap((answer) => ('fault' in answer ? [answer.fault] : []))
    if (faults.length > 0) return { fault: `${faults.length} requests failed, the first with: ${faults[0]}` }
    const latencies = answers.flatMap((answer) => ('fault' in answer ? [] : [answer.milliseconds]))
    return {
      fault: null,
      answered: first.length + answers.length,
      counted: latencies.length,
      elapsed,
      latencies: Float64Array.from(latencies).sort(),
    }
  } finally {
    agent.destroy()
  }
}

/** Sends a request. Never rejects: many requests run concurrently, and failures are reported together at the end. */
async function answerTo(wire: WireRequest, url: string, agent: Agent, minBody: number): Promise<Answer> {
  const began = performance.now()
  try {
    const { status, body } = await exchange(wire, url, agent)
    const milliseconds = performance.now() - began
    if (status < 200 || status > 299) return { fault: `status ${status}` }
    if (body.length < minBody) return { fault: `body shorter than ${minBody} characters` }
    return { milliseconds }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

function exchange(wire: WireRequest, url: string, agent: Agent): Promise<{ status: number; body: string }> {
  const { method, path, headers, body } = wire
  return new Promise((resolve, reject) => {
    const read = (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, body: text }))
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    request(url + path, { method, headers, agent, signal }, read)
      .on('error', reject)
      .end(body)
  })
}
