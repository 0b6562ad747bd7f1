import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { modules } from './installed.ts'
import { startSite } from './site.ts'

/** Timeout of a start and interval of polling, in milliseconds. */
const TIMEOUT_MS = 60_000
const PAUSE = 100

/**
 * Starts Waline's server as documented for self-hosting, with an app as its storage.
 * @param atEnd vitest's `afterAll` or `onTestFinished`, which stops it
 * @returns its URL
 * @throws Error with all its output when it does not respond
 */
export async function startWaline(app: TestApp, atEnd: (end: () => Promise<void>) => void): Promise<string> {
  // The list of login services, which Waline requests on every request.
  const services = await startSite({ '/': { page: '{"services":[]}' } }, atEnd)
  const port = await freePort()
  const run = spawn(process.execPath, [join(modules, '@waline/vercel/vanilla.js'), String(port)], {
    env: {
      PATH: process.env.PATH,
      LEAN_ID: app.appId,
      LEAN_KEY: app.appKey,
      LEAN_MASTER_KEY: app.masterKey,
      LEAN_SERVER: app.url,
      OAUTH_URL: services,
      AKISMET_KEY: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its process group includes the child process that serves requests.
    detached: true,
  })
  let output = ''
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  atEnd(() => end(run))
  const url = `http://127.0.0.1:${port}`
  for (const until = performance.now() + TIMEOUT_MS; performance.now() < until && run.exitCode === null; ) {
    const answer = await fetch(`${url}/api/comment?type=count&url=/`).catch(() => null)
    if (answer?.status === 200) return url
    await sleep(PAUSE)
  }
  throw new Error(`Waline did not become ready:\n${output}`)
}

async function end(run: ChildProcess): Promise<void> {
  if (run.exitCode !== null || run.signalCode !== null) return
  process.kill(-run.pid!, 'SIGKILL')
  await once(run, 'close')
}
