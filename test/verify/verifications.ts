import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type ImportTarget, makeImportTarget } from '../import/imports.ts'
import { runCommand } from '../support/command.ts'

/** The result of a run. */
export interface Verified {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The last line: whether switching is safe. */
  readonly conclusion: string
  /** The lines of the report. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a line by reading it
  readonly differences: readonly any[]
}

export interface VerifyTarget extends ImportTarget {
  /** Runs `homeport verify`. */
  verify(...args: readonly string[]): Promise<Verified>
}

export async function makeVerifyTarget(): Promise<VerifyTarget> {
  const target = await makeImportTarget()
  return { ...target, verify: (...args) => runVerify(target, args) }
}

/**
 * Runs `homeport verify` for an app.
 * @param environment variables in addition to the administrator token
 */
export async function runVerify(
  { app, folder }: Pick<ImportTarget, 'app' | 'folder'>,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Verified> {
  const report = join(folder, `.differences-${randomBytes(6).toString('hex')}.jsonl`)
  const result = await runCommand(['verify', '--app', app.appId, '--url', app.url, '--report', report, ...args], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
    ...environment,
  })
  const text = await readFile(report, 'utf8').catch(() => '')
  await rm(report, { force: true })
  const lines = text.split('\n').slice(0, -1)
  return {
    ...result,
    conclusion: result.stdout.trimEnd().split('\n').at(-1) ?? '',
    differences: lines.map((line) => JSON.parse(line)),
  }
}
