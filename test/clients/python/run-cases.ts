import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestApp } from '../../support/app.ts'
import { python } from '../../support/python.ts'

/** The result of a case; `failure` is the reason when it failed. */
interface Case {
  readonly name: string
  readonly failure?: string
}

type Line = { case: string; failure?: string } | { ask: string; about: string }

/** Values that a client cannot determine, such as the code in a text message: functions by name. */
export type Answers = Readonly<Record<string, (about: string) => unknown>>

/** Timeout of all cases together, in milliseconds. */
const TIMEOUT_MS = 300_000

/**
 * Runs a program of this folder as a client of an app, and resolves when it exits.
 * @param environment the result of `installPackages`
 * @returns the results of its cases, in order; the last one is the exit of the program itself
 */
export async function runCases(
  program: string,
  app: TestApp,
  environment: Readonly<Record<string, string>>,
  answers: Answers = {},
): Promise<Case[]> {
  const child = spawn(python!, [fileURLToPath(new URL(program, import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      ...environment,
      APP_ID: app.appId,
      APP_KEY: app.appKey,
      MASTER_KEY: app.masterKey,
      LEANCLOUD_API_SERVER: app.url,
    },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const cases: Case[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line
    if ('case' in line) cases.push({ name: line.case, ...(line.failure !== undefined && { failure: line.failure }) })
    else child.stdin.write(`${JSON.stringify((await answers[line.ask]?.(line.about)) ?? null)}\n`)
  }
  const [code] = await ended
  const failure = code === 0 && cases.length > 0 ? undefined : `It ended with ${code}:\n${errors}`
  return [...cases, { name: `${program} runs to its end`, ...(failure !== undefined && { failure }) }]
}
