import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { loadMiniProgram } from '../../support/mini-program.ts'
import { makeTools, type Tools } from './tools.ts'

/** A loaded client. Declarations differ between versions, and the oldest have none. */
// biome-ignore lint/suspicious/noExplicitAny: what a version lacks shows when the case is run
type Sdk = any

/** The arguments of a case, passed to the place as JSON. */
export type Given = Readonly<Record<string, unknown>>

/**
 * The code of a case. It is serialized to run wherever the client runs, so it can use only its arguments and the language,
 * nothing imported or defined outside.
 */
// biome-ignore lint/suspicious/noExplicitAny: each case knows what it is given
export type Work = (sdk: Sdk, given: any, tools: Tools) => unknown

/** One copy of a client, loaded in its usual environment, with its own memory. */
export interface Environment {
  /** @returns the result of the work, as JSON carries it */
  run(work: Work, given: Given): Promise<unknown>
}

const load = createRequire(import.meta.url)
/** Returns the path of a file in a package. */
export const fileOf = (name: string, path: string) =>
  join(dirname(load.resolve(`${name}/package.json`)), ...path.split('/'))

/**
 * Loads a client in this process; a repeated load is independent of earlier copies.
 * @param prepare runs before the client is loaded
 */
export function nodeEnvironment(module: string, prepare?: (load: NodeJS.Require) => void): Environment {
  for (const file of Object.keys(load.cache))
    if (/[\\/]node_modules[\\/]leancloud-(storage|realtime)/.test(file)) delete load.cache[file]
  prepare?.(load)
  const sdk: Sdk = load(module)
  return { run: async (work, given) => JSON.parse(JSON.stringify((await work(sdk, given, makeTools())) ?? null)) }
}

/**
 * Opens pages with separate storage at another origin than the server, as pages of real apps are. The origin is local: browsers
 * block requests from remote pages to this machine.
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
  /** The browser builds export the global `AV`. */
  return async (files: readonly string[]): Promise<Environment> => {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(address)
    for (const path of files) await page.addScriptTag({ path })
    return { run: async (work, given) => JSON.parse(await page.evaluate(textOf(work, given))) }
  }
}

/**
 * Loads a client in a stand-in for the mini-program platform.
 * @param adapters the file with the platform adapters, for builds that include none
 */
export function miniProgramEnvironment(file: string, adapters?: string): Environment {
  const { evaluate } = loadMiniProgram(file, adapters)
  return {
    run: async (work, given) => JSON.parse((await evaluate(textOf(work, given))) as string),
  }
}

/** Returns a program that runs the work with the client `AV` and resolves with JSON. */
const textOf = (work: Work, given: Given) =>
  `Promise.resolve((${work})(AV, ${JSON.stringify(given)}, (${makeTools})()))
    .then((told) => JSON.stringify(told === undefined ? null : told))`
