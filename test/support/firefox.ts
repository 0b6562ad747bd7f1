import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { countCost } from './cost-counts.ts'
import { findProgram } from './find-program.ts'

/** The installed Firefox for tests; null: not installed, and tests that need it are skipped. */
export const firefox: string | null = findProgram(
  'HOMEPORT_TEST_FIREFOX',
  ['firefox-esr', 'firefox'],
  ['/Applications/Firefox.app/Contents/MacOS/firefox'],
)

if (firefox === null) {
  console.warn(
    'Tests in Firefox are skipped: it was not found. Install it (Debian: apt-get install firefox-esr; macOS: brew install --cask firefox), or let HOMEPORT_TEST_FIREFOX name its file.',
  )
}

/** Disables pages and requests of the browser itself. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
}

export interface FirefoxTab {
  /** Console errors of page scripts, and policy violations. */
  readonly errors: readonly string[]
  /** Loads a page and its initial resources. */
  goto(url: string): Promise<void>
  /** Evaluates an expression in the page; the result must be JSON, and promises are awaited. */
  evaluate<T>(expression: string): Promise<T>
  close(): Promise<void>
}

/**
 * Starts Firefox headless and opens a tab by WebDriver BiDi, the protocol of released versions. Playwright requires its own
 * build of Firefox, and BiDi commands that Debian's version lacks.
 * @throws Error when `firefox` is null
 */
export async function openFirefox(): Promise<FirefoxTab> {
  if (firefox === null) throw new Error('There is no Firefox to open.')
  countCost('browsers')
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const child = spawn(firefox, ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: '1' },
  })
  const exited = once(child, 'exit')
  const end = async () => {
    child.kill()
    await exited
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const url = await endpointOf(createInterface(child.stderr), exited)
    const socket = new WebSocket(`${url}/session`)
    await once(socket, 'open')
    return await openTab(socket, end)
  } catch (error) {
    await end()
    throw error
  }
}

async function endpointOf(lines: AsyncIterable<string>, exited: Promise<unknown>): Promise<string> {
  const found = (async () => {
    for await (const line of lines) {
      const [, url] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line) ?? []
      if (url !== undefined) return url
    }
    return null
  })()
  const url = await Promise.race([found, exited.then(() => null)])
  if (url === null) throw new Error('Firefox ended before it listened.')
  return url
}

async function openTab(socket: WebSocket, end: () => Promise<void>): Promise<FirefoxTab> {
  const errors: string[] = []
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  socket.on('message', (data) => {
    const { id, type, result, error, message, method, params } = JSON.parse(String(data))
    if (method === 'log.entryAdded' && params.level === 'error') errors.push(params.text)
    if (type === 'success') waiting.get(id)?.resolve(result)
    else if (type === 'error') waiting.get(id)?.reject(new Error(`${error}: ${message}`))
  })
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox ended.'))
  })
  let last = 0
  const send = <T>(method: string, params: object): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve: (result) => resolve(result as T), reject })
      socket.send(JSON.stringify({ id, method, params }))
    })
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' })
  return {
    errors,
    async goto(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async evaluate<T>(expression: string) {
      const { type, result, exceptionDetails } = await send<Evaluated>('script.evaluate', {
        expression: `(async () => JSON.stringify(await (${expression})) ?? 'null')()`,
        target: { context },
        awaitPromise: true,
      })
      if (type !== 'success') throw new Error(`${expression}: ${exceptionDetails?.text}`)
      return JSON.parse(result!.value) as T
    },
    async close() {
      socket.close()
      await end()
    },
  }
}

interface Evaluated {
  readonly type: 'success' | 'exception'
  readonly result?: { readonly value: string }
  readonly exceptionDetails?: { readonly text: string }
}
