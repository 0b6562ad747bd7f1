import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestApp } from '../../support/app.ts'
import { python } from '../../support/python.ts'

/** What became of a case; `failure` is why it failed, where it did. */
interface Case {
  readonly name: string
  readonly failure?: string
}

type Line = { case: string; failure?: string } | { ask: string; about: string }

/** What a client cannot know by itself, such as the code in a text message: answers to its questions, by their names. */
export type Answers = Readonly<Record<string, (about: string) => unknown>>

/** Milliseconds that all cases together may take. */
const PATIENCE = 300_000

/**
 * Runs a program of this folder, a client of an app, and resolves when it ends.
 * @param environment what `installPackages` has given
 * @returns what became of its cases, in their order; that the program itself ended well is the last one of them
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
    timeout: PATIENCE,
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
