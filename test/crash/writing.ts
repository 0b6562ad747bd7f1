import { expect, onTestFinished } from 'vitest'
import { call } from '../support/app.ts'
import type { Home } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { Api } from './campaign/api.ts'
import { differencesOfObjects } from './campaign/object-history.ts'
import { ObjectWriters, prepareNames } from './campaign/object-writers.ts'
import { FaultLog } from './campaign/trouble.ts'

const CREDENTIALS = { appId: 'crash', appKey: 'crash-app-key', masterKey: 'crash-master-key' }
const ADMIN_TOKEN = 'token-of-the-administrator-of-one-test'

/** The environment of servers with the app of the writers. */
export const ENVIRONMENT = {
  HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  HOMEPORT_APP_ID: CREDENTIALS.appId,
  HOMEPORT_APP_KEY: CREDENTIALS.appKey,
  HOMEPORT_MASTER_KEY: CREDENTIALS.masterKey,
}

/** The number of writers of each of four kinds. */
export const WRITERS = 16

/** Failures expected in an outage: 511, alone and in batches, 305 for an update that was already applied, and taken names. */
const ORDINARY = new Set(['503 511', 'item 511', '400 305', '400 137', '400 202'])

export interface Writing {
  readonly program: Program
  /** The URL of the app; changes when a new server takes over. */
  readonly target: { url: string }
  readonly api: Api
  readonly writers: ObjectWriters
}

/** Starts a server and writers, and waits for 500 acknowledged writes. The writers stop with the test. */
export async function writersOn(home: Home): Promise<Writing> {
  const program = await home.start([], ENVIRONMENT)
  const target = { url: program.url }
  const api = new Api({ ...CREDENTIALS, urls: () => [target.url] }, new FaultLog())
  await prepareNames(async (path, body) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const { status } = await call(target.url, 'POST', `/admin/apps/${CREDENTIALS.appId}${path}`, headers, body)
    expect(status).toBe(201)
  })
  const writers = await ObjectWriters.start(api, 1, WRITERS)
  onTestFinished(() => writers.stop())
  await writers.acknowledge(500)
  return { program, target, api, writers }
}

/** Returns differences between stored data and acknowledgments, and responses that must not occur. */
export async function differencesIn({ api, writers }: Pick<Writing, 'api' | 'writers'>): Promise<string[]> {
  return [...differencesOfObjects(writers.history, await writers.read()), ...api.faults.violations]
}

/** Returns responses that were neither successful nor expected in an outage. */
export function extraordinary({ api }: Pick<Writing, 'api'>): string[] {
  return [...api.faults.failures.keys()].filter((name) => !ORDINARY.has(name))
}
