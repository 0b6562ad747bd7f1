import { spawn } from 'node:child_process'

/**
 * Waits for the end of a pipe that only we hold: without a word before it, we have died, and PostgreSQL is to end as at a
 * stop in good order. Then the directory of its socket is removed, which nobody else would know of any more.
 */
const WATCH = `
  read -r word && exit
  kill -INT "$1"
  while kill -0 "$1"; do sleep 1; done
  rmdir "$2"
`

/**
 * Has a process beside us end the PostgreSQL server `pid` when we are killed in a way that leaves no time for it. On
 * Windows there is none: there the next start ends it.
 * @param socketDirectory where it listens
 * @returns dismisses that process, to be called when PostgreSQL has ended
 */
export function guardPostgres(pid: number, socketDirectory: string): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', WATCH, 'homeport-guard', String(pid), socketDirectory], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // What ends our group of processes must not end it.
    detached: true,
  })
  // Without a shell there is no guard, as on Windows; and one that has gone hears no word.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  return () => guard.stdin.end('dismissed\n')
}
