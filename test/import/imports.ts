import { mkdtempSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, inject } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { type CommandResult, runCommand } from '../support/command.ts'
import { makeSdkApp } from '../support/sdk.ts'

/** The target app of an import, and a folder for its files. */
export interface ImportTarget {
  readonly app: TestApp
  readonly folder: string
  /** Writes a file into the folder. @returns its path */
  file(name: string, content: string | Buffer): Promise<string>
  /** Runs `homeport import`; paths are those of files in the folder. */
  run(...args: readonly string[]): Promise<CommandResult>
  /** Reads the report of the last run. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a report by reading it
  report(): Promise<any>
  /** Reads the rejected records of the last run. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  rejected(): Promise<any[]>
}

export async function makeImportTarget(): Promise<ImportTarget> {
  const app = await makeSdkApp()
  const folder = mkdtempSync(join(tmpdir(), 'homeport-import-'))
  const reports = join(folder, '.report')
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return {
    app,
    folder,
    async file(name, content) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
      return path
    },
    run: (...args) =>
      runCommand(['import', '--app', app.appId, '--url', app.url, '--report', reports, ...args], {
        HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
      }),
    report: async () => JSON.parse(await readFile(join(reports, 'report.json'), 'utf8')),
    rejected: async () =>
      (await readFile(join(reports, 'rejected.jsonl'), 'utf8'))
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.parse(line)),
  }
}

/** Returns a file in the format of the hosted service's JSON export (protocol/moving-in, JSON export). */
export function exportFile(className: string, objects: readonly object[]): string {
  const comment = `#filetype:JSON-streaming {"type":"Class","class":"${className}"}\n`
  return comment + objects.map((object) => `${JSON.stringify(object)}\n`).join('')
}
