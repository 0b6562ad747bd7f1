import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../http-client/exchange.ts'

/** Cloud code at work. */
export interface EngineProcess {
  /** Resolves with its exit code; with 0 when it was stopped. */
  readonly ended: Promise<number>
  /** Waits until it answers at its base URL. @throws Error when it ends before, or takes too long */
  healthy(url: string): Promise<void>
  /** Ends it with all that it has started. */
  stop(): Promise<void>
}

/** Milliseconds that an engine gets to start (protocol/cloud-code, Health check), and to end. */
const START_PATIENCE = 30_000
const STOP_PATIENCE = 5000
const PAUSE = 200
const PING_PATIENCE = 2000

/** Starts a command. What it writes goes where this process writes. */
export function runEngine([program = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv): EngineProcess {
  const onWindows = process.platform === 'win32'
  const child = spawn(program, args, {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    // In a group of its own: npm and its like do not pass signals on to all that they start.
    detached: !onWindows,
    shell: onWindows,
  })
  let stopping = false
  // Rejects when the program cannot be started.
  const ended = once(child, 'exit').then(
    ([code]) => (stopping ? 0 : ((code as number | null) ?? 1)),
    (error: Error) => {
      throw new Error(`${program} cannot be run: ${error.message}`)
    },
  )
  ended.catch(() => {})
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined) return
    try {
      if (onWindows) child.kill(name)
      else process.kill(-child.pid, name)
    } catch {
      // It has ended.
    }
  }
  return {
    ended,
    async healthy(url) {
      for (const until = performance.now() + START_PATIENCE; performance.now() < until; ) {
        const code = await Promise.race([ended, sleep(PAUSE, null)])
        if (code !== null) throw new Error(stopping ? 'stopped' : `${program} ended with ${code} before it was ready`)
        if (await answers(url)) return
      }
      throw new Error(`${program} does not answer at ${url}; it has to listen on the port in LEANCLOUD_APP_PORT`)
    },
    async stop() {
      stopping = true
      signal('SIGTERM')
      const patience = new AbortController()
      const late = sleep(STOP_PATIENCE, null, { signal: patience.signal }).then(
        () => signal('SIGKILL'),
        () => {},
      )
      await ended.catch(() => {})
      patience.abort()
      await late
    },
  }
}

/** Engines answer a ping; others at least their front page (protocol/cloud-code, Health check). */
async function answers(url: string): Promise<boolean> {
  for (const path of ['/__engine/1/ping', '/']) {
    const request = { method: 'GET', url: url + path, timeout: PING_PATIENCE }
    const status = await exchange({ ...request, reach: 'any' }, async (answer) => answer.status).catch(() => 0)
    if (status >= 200 && status < 300) return true
  }
  return false
}
