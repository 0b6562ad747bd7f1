#!/usr/bin/env node
import { endWithServer, limitReach } from './parent-server.ts'
import { runCommandLine } from './run-command-line.ts'

// The reader of a pipe may end first: `homeport app list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})
endWithServer()
limitReach()
await runCommandLine(process.argv.slice(2))
