import { expect, inject } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { runProgram } from '../support/program.ts'

/** Runs `homeport class …` as the administrator, for an app on the shared server. */
export async function homeportClass(app: TestApp, ...args: string[]): Promise<void> {
  const { code, stderr } = await runProgram(['class', ...args, '--url', app.url, '--app', app.appId], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
  expect([code, stderr]).toEqual([0, ''])
}
