import { spawn } from 'node:child_process'

/**
 * Waits for the end of a pipe that only this process holds. An end without a message means that this process has died; then
 * PostgreSQL is shut down normally. A server that gets this signal while it recovers from the death of one of its processes may
 * never end (18.4: it starts processes without a pause), so after a timeout it is shut down immediately. Finally the directory of
 * its socket is removed, because no other process knows of it.
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

/** Seconds for a normal shutdown. */
const TIMEOUT_SECONDS = 20

/**
 * Starts a guard process that ends the PostgreSQL server `pid` if this process is killed without time to do so. On Windows there
 * is no guard; the next start ends the server.
 * @param socketDirectory the directory of the server's socket
 * @param timeoutSeconds seconds until an immediate shutdown
 * @returns a function that dismisses the guard, to be called when PostgreSQL has ended
 */
export function guardPostgres(pid: number, socketDirectory: string, timeoutSeconds = TIMEOUT_SECONDS): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn(
    '/bin/sh',
    ['-c', WATCH, 'homeport-guard', String(pid), socketDirectory, String(timeoutSeconds)],
    {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      // A signal to this process's group must not end the guard.
      detached: true,
    },
  )
  // Without a shell there is no guard, as on Windows. A guard that has ended does not read the message.
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  return () => guard.stdin.end('dismissed\n')
}
