import { runningServer } from '../../data-directory.ts'
import type { Examination } from '../examination.ts'
import { type Finding, fine } from '../finding.ts'

/** Reports the server on the data directory. */
export function checkServer({ config }: Examination): Finding[] {
  const running = runningServer(config.data)
  if (running === null) return [fine('doctorServerStopped')]
  const pid = String(running.pid)
  return [
    running.url === null
      ? fine('doctorServerStarting', { pid })
      : fine('doctorServerRunning', { pid, url: running.url }),
  ]
}
