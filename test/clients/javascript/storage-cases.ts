import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'
import { useEngine } from '../../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../../support/stand-in-engine.ts'
import type { Environment, Work } from './environment.ts'
import { ACCOUNT_CASES } from './storage-accounts.ts'
import { OBJECT_CASES } from './storage-objects.ts'
import { QUERY_CASES } from './storage-queries.ts'
import { SERVICE_CASES } from './storage-services.ts'
import { STATUS_CASES } from './storage-statuses.ts'
import type { StorageVersion } from './storage-versions.ts'

/** A case of leancloud-storage on a separate app, with the expected result. */
export interface StorageCase {
  readonly name: string
  /** The first major version that supports it; defaults to 1. */
  readonly since?: 2 | 3 | 4
  readonly run: Work
  readonly expected: unknown
}

const CASES = [...OBJECT_CASES, ...QUERY_CASES, ...ACCOUNT_CASES, ...SERVICE_CASES, ...STATUS_CASES]

/** Starts the cloud code of all apps of a file: the functions called by the cases. */
async function cloudCode(): Promise<string> {
  const { url, functions } = await standInEngine()
  functions.set('nothing', json({}))
  functions.set('echo', (response, call) => json({ result: inputOf(call) })(response, call))
  functions.set('same', (response, call) => {
    const { object } = inputOf(call) as { object: { className: string; objectId: string } }
    const { className, objectId } = object
    json({ result: { __type: 'Object', className, objectId, n: 1 } })(response, call)
  })
  functions.set('refuse', (response, call) => {
    const { code = 1 } = inputOf(call)
    json({ code, error: 'Not for you' }, 400)(response, call)
  })
  return url
}
const engine = cloudCode()

/** Declares the cases of a version as tests, on a separate app, in the place where it runs. */
export async function testStorage(
  { version, major, init }: StorageVersion,
  where: string,
  open: () => Environment | Promise<Environment>,
): Promise<void> {
  const app = await makeApp()
  await useEngine(app, { production: await engine })
  const { url, appId, appKey } = app
  const environment = await open()
  await environment.run(init, { url, appId, appKey })
  describe(`leancloud-storage ${version} ${where}`, () => {
    it.each(rows(CASES.filter(({ since = 1 }) => since <= major)))('%s', async (_, { run, expected }) => {
      expect(await environment.run(run, {})).toEqual(expected)
    })
  })
}

const rows = (cases: readonly StorageCase[]) => cases.map((one) => [one.name, one] as const)
