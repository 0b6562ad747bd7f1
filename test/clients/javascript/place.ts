import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { loadMiniProgram } from '../../support/mini-program.ts'
import { makeTools, type Tools } from './tools.ts'

/** A client as it is loaded: its declarations differ from version to version, and the oldest have none. */
// biome-ignore lint/suspicious/noExplicitAny: what a version lacks shows when the case is run
type Sdk = any

/** What a case is told: it goes to the place as JSON. */
export type Given = Readonly<Record<string, unknown>>

/**
 * What is done with a client. It runs wherever the client runs, so its text must stand on its own: it may use its
 * arguments and what the language has, and nothing that is imported or defined outside it.
 */
// biome-ignore lint/suspicious/noExplicitAny: each case knows what it is given
export type Work = (sdk: Sdk, given: any, tools: Tools) => unknown

/** One copy of a client, loaded where it is at home, with a memory of its own. */
export interface Place {
  /** @returns what the work has told, as JSON carries it */
  run(work: Work, given: Given): Promise<unknown>
}

const load = createRequire(import.meta.url)
/** The file of a package, by its path inside. */
export const fileOf = (name: string, path: string) =>
  join(dirname(load.resolve(`${name}/package.json`)), ...path.split('/'))

/**
 * In this process. Loaded again, a client knows nothing of the copies before.
 * @param prepare what is done before
 */
export function nodePlace(module: string, prepare?: (load: NodeJS.Require) => void): Place {
  for (const file of Object.keys(load.cache))
    if (/[\\/]node_modules[\\/]leancloud-(storage|realtime)/.test(file)) delete load.cache[file]
  prepare?.(load)
  const sdk: Sdk = load(module)
  return { run: async (work, given) => JSON.parse(JSON.stringify((await work(sdk, given, makeTools())) ?? null)) }
}

/**
 * Opens pages, each with a store of its own, at an origin that is not the server's, as pages of real apps are. It is
 * one of this machine: browsers keep pages from elsewhere from asking it for anything.
 */
export async function pagesOf(browser: Browser, atEnd: (end: () => Promise<void>) => void) {
  const site = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>'),
  ).listen(0, '127.0.0.1')
  await once(site, 'listening')
  atEnd(async () => {
    site.closeAllConnections()
    site.close()
    await once(site, 'close')
  })
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  /** The builds for browsers call themselves `AV`. */
  return async (files: readonly string[]): Promise<Place> => {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(address)
    for (const path of files) await page.addScriptTag({ path })
    return { run: async (work, given) => JSON.parse(await page.evaluate(textOf(work, given))) }
  }
}

/**
 * In a stand-in of the platform of mini-programs.
 * @param adapters the file with the platform's adapters, for builds that come without any
 */
export function miniProgramPlace(file: string, adapters?: string): Place {
  const { evaluate } = loadMiniProgram(file, adapters)
  return {
    run: async (work, given) => JSON.parse((await evaluate(textOf(work, given))) as string),
  }
}

/** A program that does the work with the client `AV`, and resolves with JSON. */
const textOf = (work: Work, given: Given) =>
  `Promise.resolve((${work})(AV, ${JSON.stringify(given)}, (${makeTools})()))
    .then((told) => JSON.stringify(told === undefined ? null : told))`
