#!/usr/bin/env node
import { endWithServer, limitReach } from './parent-server.ts'
import { runCommandLine } from './run-command-line.ts'

endWithServer()
limitReach()
await runCommandLine(process.argv.slice(2))
