import { runningServer } from '../../data-directory.ts'
import type { Examination } from '../examination.ts'
import { type Finding, fine } from '../finding.ts'

/** Reports the server on the data directory. */
export function checkServer({ config, server }: Examination): Finding[] {
  const running = runningServer(config.data)
  // A command that has opened the database holds the lock itself.
  const isOwn = server === null && running?.pid === process.pid
  if (running === null || isOwn) return [fine('doctorServerStopped')]
  const pid = String(running.pid)
  return [
    running.url === null
      ? fine('doctorServerStarting', { pid })
      : fine('doctorServerRunning', { pid, url: running.url }),
  ]
}
