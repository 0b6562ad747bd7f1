import { spawn } from 'node:child_process'

/**
 * Waits for the end of a pipe that only we hold: without a word before it, we have died, and PostgreSQL is to end as at a
 * stop in good order. One that is told so while it recovers from the death of one of its processes may never end (18.4: it
 * starts processes without a pause), and has to leave at once. Then the directory of its socket is removed, which nobody else
 * would know of any more.
 */
const WATCH = `
  read -r word && exit
  kill -INT "$1"
  seconds=0
  while kill -0 "$1"; do
    sleep 1
    seconds=$((seconds + 1))
    [ "$seconds" -eq "$3" ] && kill -QUIT "$1"
  done
  rmdir "$2"
`

/** How long it gets for a stop in good order, in seconds. */
const PATIENCE = 20

/**
 * Has a process beside us end the PostgreSQL server `pid` when we are killed in a way that leaves no time for it. On
 * Windows there is none: there the next start ends it.
 * @param socketDirectory where it listens
 * @param patience seconds until it has to leave at once
 * @returns dismisses that process, to be called when PostgreSQL has ended
 */
export function guardPostgres(pid: number, socketDirectory: string, patience = PATIENCE): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', WATCH, 'homeport-guard', String(pid), socketDirectory, String(patience)], {
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
