/** Set by the supervisor: its process number, and, after a restart, how the previous server ended. */
export const SUPERVISOR_VARIABLE = 'SUPERVISOR_OF_HOMEPORT'
export const RESTARTED_VARIABLE = 'RESTART_OF_HOMEPORT'

/** The server's view of its supervisor (`supervise.ts`). */
export interface Supervision {
  /** How the previous server ended, such as `SIGKILL`; null: this is the first start. */
  readonly restartedAfter: string | null
  /** Notifies the supervisor that the server serves requests. */
  reportReady(): void
}

const ALONE: Supervision = { restartedAfter: null, reportReady: () => {} }

/**
 * Begins to follow the supervisor, if there is one: when it ends, even if it is killed, this process gets SIGTERM, so that a
 * service manager that starts a new supervisor finds the data directory free.
 */
export function followSupervisor(): Supervision {
  const { [SUPERVISOR_VARIABLE]: supervisor, [RESTARTED_VARIABLE]: restartedAfter = null } = process.env
  // Commands that the server runs are not supervised.
  delete process.env[SUPERVISOR_VARIABLE]
  delete process.env[RESTARTED_VARIABLE]
  if (supervisor === undefined || !process.channel) return ALONE
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
  return {
    restartedAfter,
    reportReady: () => {
      // The supervisor may have ended.
      if (process.connected) process.send!('ready', () => {})
    },
  }
}
