import type { Apps } from '../apps/apps.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/pool.ts'
import type { Finding } from './finding.ts'
import { Identity } from './identity.ts'
import { runChecks } from './run-checks.ts'

export interface DoctorOptions {
  readonly config: Config
  readonly database: Database
  readonly apps: Apps
  /** Returns the URL at which the server listens on this machine. */
  readonly localUrl: () => string
}

export interface Report {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly findings: readonly Finding[]
}

/** Examines the running server: its configuration, the servers that it uses, and its apps. */
export class Doctor {
  readonly identity: Identity
  readonly #options: DoctorOptions
  #running: Promise<Report> | null = null

  constructor(options: DoctorOptions) {
    this.#options = options
    this.identity = new Identity(options.database)
  }

  /**
   * Runs all checks. Calls during a run get its report, so that the checks of many callers connect to other servers only once.
   * @param clockUrl URL of an HTTP server with a correct clock; null for none
   */
  run(clockUrl: string | null): Promise<Report> {
    this.#running ??= this.#examine(clockUrl).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #examine(clockUrl: string | null): Promise<Report> {
    const { config, database, apps, localUrl } = this.#options
    const findings = await runChecks({
      config,
      database,
      notOpened: null,
      apps: apps.all(),
      server: { identity: this.identity, localUrl: localUrl() },
      clockUrl,
    })
    return { at: Date.now(), findings }
  }
}
