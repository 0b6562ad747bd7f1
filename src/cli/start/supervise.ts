import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { RESTARTED_VARIABLE, SUPERVISOR_VARIABLE } from './supervised.ts'

/** Milliseconds before the first restart of a series; they double with each further one. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
/** Milliseconds after which a run counts as healthy, so that its end begins a new series. */
const HEALTHY_RUN_MS = 60_000
/** Milliseconds for the last message of a server that has exited. */
const CHANNEL_TIMEOUT_MS = 1000
/** Exit code of a configuration error, which no restart fixes. */
const USAGE_ERROR = 2
const FORWARDED = ['SIGTERM', 'SIGINT'] as const

/**
 * Runs the server in a child process and restarts it when it crashes or is killed, for example because the machine is out of
 * memory. Ends with the exit code of the server when it was stopped, when its configuration is invalid, and when its first start
 * failed.
 *
 * This process stays small: it loads no other code of the program. The child has a process group of its own, so that Ctrl+C
 * reaches it once, by this process. When this process is killed, the child notices the end of the channel and stops.
 * @param program path of the program
 * @param words arguments of the program
 */
export function supervise(program: string, words: readonly string[]): void {
  // The reader of the log may end first.
  process.stderr.on('error', () => {})
  let child: ChildProcess | null = null
  let restart: NodeJS.Timeout | undefined
  let isStopping = false
  let hasServed = false
  let attempt = 0

  const launch = (reason: string | null) => {
    const began = Date.now()
    const started = spawn(process.execPath, [...process.execArgv, program, ...words], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: {
        ...process.env,
        [SUPERVISOR_VARIABLE]: String(process.pid),
        ...(reason !== null && { [RESTARTED_VARIABLE]: reason }),
      },
    })
    child = started
    // Its first message reports that it serves.
    started.once('message', () => {
      hasServed = true
    })
    let hasEnded = false
    const onEnd = (code: number | null, signal: NodeJS.Signals | null, reason: string) => {
      if (hasEnded) return
      hasEnded = true
      child = null
      const exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)
      if (isStopping || exitCode === 0 || exitCode === USAGE_ERROR || !hasServed) {
        if (exitCode !== 0 && code === null) process.stderr.write(`homeport: the server ended by ${signal}\n`)
        process.exit(exitCode)
      }
      attempt = Date.now() - began > HEALTHY_RUN_MS ? 0 : attempt + 1
      const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempt - 1))
      process.stderr.write(`homeport: the server ended unexpectedly (${reason}), restarting in ${pause / 1000} s\n`)
      restart = setTimeout(launch, pause, reason)
    }
    started.once('exit', (code, signal) => {
      const end = () => onEnd(code, signal, signal ?? `exit code ${code}`)
      // The exit can arrive before the message that the server has sent.
      if (!started.connected) return end()
      started.once('disconnect', end)
      setTimeout(end, CHANNEL_TIMEOUT_MS)
    })
    // The system cannot create a process, for example without memory.
    started.once('error', (error) => onEnd(1, null, error.message))
  }

  for (const signal of FORWARDED)
    process.on(signal, () => {
      isStopping = true
      clearTimeout(restart)
      if (child === null) process.exit(0)
      child.kill(signal)
    })
  launch(null)
}
