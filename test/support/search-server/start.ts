import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { java, javaProgram, maven } from '../java.ts'

/** Whether an OpenSearch can be built and run here; otherwise, tests that need it are skipped. */
export const hasSearchServer = java

/** Timeouts of a build with a cold repository on a slow connection, and of a start, in milliseconds. */
const BUILD_TIMEOUT_MS = 480_000
const START_TIMEOUT_MS = 120_000

export interface TestSearchServer {
  readonly url: string
  /** Makes it hang: connections stay open without responses. */
  freeze(): void
  thaw(): void
  /** Kills it, like a crash. */
  kill(): Promise<void>
  /**
   * Restarts it at the same address.
   * @param empty whether its data is deleted
   */
  restart(empty?: boolean): Promise<void>
  /** Sends a request to its API. */
  request(method: string, path: string): Promise<{ status: number; body: unknown }>
}

/**
 * Starts a separate OpenSearch on this machine: its published parts, assembled by `src/SearchNode.java`.
 * @param atEnd vitest's `afterAll`, to be called at the top level of a test file
 */
export async function startSearchServer(atEnd: (end: () => Promise<void>) => void): Promise<TestSearchServer> {
  const workplace = await mkdtemp(join(tmpdir(), 'homeport-search-'))
  const data = join(workplace, 'data')
  let server: ChildProcess | undefined
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  atEnd(async () => {
    await kill()
    await rm(workplace, { recursive: true, force: true })
  })
  const project = join(import.meta.dirname, 'pom.xml')
  const options = ['--batch-mode', '--quiet', `-Dworkplace=${workplace}`, '--file', project]
  await promisify(execFile)(maven!, [...options, 'process-classes'], { timeout: BUILD_TIMEOUT_MS })
  const classpath = [join(workplace, 'classes'), await readFile(join(workplace, 'classpath'), 'utf8')].join(delimiter)
  const port = await freePort()
  const start = async () => {
    const args = ['-Xmx300m', '-XX:+UseSerialGC', '-cp', classpath, 'SearchNode', data, String(port)]
    const started = spawn(javaProgram, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    server = started
    let output = ''
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await answers(url))) {
      if (started.exitCode !== null || Date.now() > deadline)
        throw new Error(`The search server did not start:\n${output}`)
      await sleep(100)
    }
  }
  const url = `http://127.0.0.1:${port}`
  await start()
  return {
    url,
    freeze: () => void server!.kill('SIGSTOP'),
    thaw: () => void server!.kill('SIGCONT'),
    kill,
    async restart(empty = false) {
      await kill()
      if (empty) await rm(data, { recursive: true, force: true })
      await start()
    },
    async request(method, path) {
      const response = await fetch(url + path, { method })
      return { status: response.status, body: await response.json() }
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/_cluster/health`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok === true
}
