#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { supervise } from './start/supervise.ts'
import { mustSupervise } from './start/supervision.ts'

const words = process.argv.slice(2)
if (mustSupervise(words, process.env, process)) supervise(fileURLToPath(import.meta.url), words)
else {
  // A supervisor does not load the program, to use little memory.
  const { runProgram } = await import('./run-program.ts')
  await runProgram(words)
}
