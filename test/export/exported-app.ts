import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'

/** Creates a folder that is removed when the test file ends, or after all tests when created inside a test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-export-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command for an app on the shared server. */
export function runFor(app: TestApp, command: string, ...args: readonly string[]) {
  return runCommand([command, '--app', app.appId, '--url', app.url, ...args], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
}

/** Reads the records of an export file, without its first line. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a record by reading it
export async function recordsIn(folder: string, name: string): Promise<any[]> {
  const text = await readFile(join(folder, name), 'utf8')
  return text
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line))
}

/** Returns the names in a folder, including hidden files. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort()
}
