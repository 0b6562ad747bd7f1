import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'

/** A folder that is removed when the test file ends, or when all tests have ended if it is made inside a test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-export-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command about an app on the shared server. */
export function runFor(app: TestApp, command: string, ...args: readonly string[]) {
  return runCommand([command, '--app', app.appId, '--url', app.url, ...args], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
}

/** The records of a file of an export, without its first line. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a record by reading it
export async function recordsIn(folder: string, name: string): Promise<any[]> {
  const text = await readFile(join(folder, name), 'utf8')
  return text
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line))
}

/** What lies in a folder, hidden files among it. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort()
}
