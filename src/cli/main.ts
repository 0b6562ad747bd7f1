#!/usr/bin/env node
import { runCommandLine } from './run-command-line.ts'
import { endWithServer, limitReach } from './told-server.ts'

endWithServer()
limitReach()
await runCommandLine(process.argv.slice(2))
