import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { runningServer } from '../../data-directory.ts'
import { exchange } from '../../http-client/exchange.ts'

/** The result of a program. */
interface Outcome {
  /** null: it could not be started, or was killed */
  readonly code: number | null
  /** Its output, both streams, without a final line break. */
  readonly output: string
}

/** The machine on which the service is installed. Tests replace it. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly isRoot: boolean
  /** Whether systemd runs; in a container or a chroot it may be installed and not run. */
  readonly hasSystemd: boolean
  /** Prefix of all paths that are written; empty on the machine itself. */
  readonly root: string
  /** Runs a program to its end, as another user if given. */
  run(program: string, args: readonly string[], user?: { readonly uid: number; readonly gid: number }): Outcome
  /**
   * Returns the URL of the server on a data directory once it can serve requests.
   * @returns null after a timeout, or when `isFailed` returns true
   */
  healthyServer(data: string, timeoutMs: number, isFailed?: () => boolean): Promise<string | null>
}

const POLL_MS = 250
const REQUEST_TIMEOUT_MS = 5000

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    hasSystemd: existsSync('/run/systemd/system'),
    root: '',
    run: (program, args, user) => {
      const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd: '/', ...user })
      return { code: status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trimEnd() }
    },
    healthyServer: async (data, timeoutMs, isFailed = () => false) => {
      for (const until = performance.now() + timeoutMs; ; await sleep(POLL_MS)) {
        const url = runningServer(data)?.url
        if (url && (await isHealthy(url))) return url
        if (performance.now() >= until || isFailed()) return null
      }
    },
  }
}

function isHealthy(url: string): Promise<boolean> {
  const request = { method: 'GET', url: `${url}/health`, timeout: REQUEST_TIMEOUT_MS, reach: 'any' } as const
  return exchange(request, async ({ status }) => status === 200).catch(() => false)
}
