import { endWithServer, limitReach } from './parent-server.ts'
import { runCommandLine } from './run-command-line.ts'

/** Runs the command line of this process. @param words the command and its arguments */
export async function runProgram(words: readonly string[]): Promise<void> {
  // The reader of a pipe may end first: `homeport app list | head -1`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  endWithServer()
  limitReach()
  await runCommandLine(words)
}
