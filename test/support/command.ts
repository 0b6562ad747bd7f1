import { runCommandLine } from '../../src/cli/run-command-line.ts'

/** The output of a command, and the exit code its process would have. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Write = typeof process.stdout.write

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Commands share `process`, so they run one after the other. */
let previous: Promise<unknown> = Promise.resolve()

/**
 * Runs a command of the program in this process, at a tenth of the cost of `runProgram` (program.ts). Not for tests of the
 * process itself: working directory, signals, the built program.
 */
export function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const run = previous.then(() => capture(() => runCommandLine(args), environment))
  previous = run.catch(() => {})
  return run
}

async function capture(
  run: () => Promise<void>,
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const exitCode = process.exitCode
  const variables = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  const listeners = SIGNALS.map((signal) => process.listeners(signal))
  const stdout = captureWrites(process.stdout)
  const stderr = captureWrites(process.stderr)
  process.exitCode = undefined
  Object.assign(process.env, environment)
  try {
    await run()
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    stdout.restore()
    stderr.restore()
    process.exitCode = exitCode
    for (const [name, value] of variables) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    for (const [index, signal] of SIGNALS.entries()) {
      const added = process.listeners(signal).filter((listener) => !listeners[index]!.includes(listener))
      for (const listener of added) process.off(signal, listener)
    }
  }
}

function captureWrites(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const write = stream.write
  let text = ''
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const onWritten = rest.at(-1)
    if (typeof onWritten === 'function') onWritten()
    return true
  }) as Write
  return {
    text: () => text,
    restore: () => {
      stream.write = write
    },
  }
}
