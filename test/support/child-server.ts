import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../../src/database/embedded/postgres-user.ts'

/** A third-party server that runs as a child process of a test. */
export interface ChildServer {
  readonly isRunning: boolean
  signal(name: NodeJS.Signals): void
  /** Sends the signal and resolves when the process has exited. */
  end(name?: NodeJS.Signals): Promise<void>
}

/**
 * Starts a server and resolves when it accepts connections at `port`.
 * @throws Error with its output when it exits before
 */
export async function startChildServer({ file, args, identity }: Command, port: number): Promise<ChildServer> {
  const child = spawn(file, args, { ...identity, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000)
    })
  while (!(await answers(port))) {
    if (!isAlive(child)) throw new Error(`${file} ended before it took connections:\n${output}`)
    await sleep(20)
  }
  return {
    get isRunning() {
      return isAlive(child)
    },
    signal: (name) => void child.kill(name),
    async end(name = 'SIGTERM') {
      if (!isAlive(child)) return
      const ended = once(child, 'exit')
      child.kill(name)
      await ended
    },
  }
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
