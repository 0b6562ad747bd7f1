import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { TestApp } from '../../support/app.ts'
import { startEngine, useEngine } from '../../support/engine-process.ts'
import { connectPhones, type Phones } from '../../support/phones.ts'
import { indexed, makeSearched } from '../../support/search.ts'
import { json, type StandInEngine, standInEngine } from '../../support/stand-in-engine.ts'

// Setups and observations of fixtures outside the public API of their app.

/** The app of a fixture, and the services that it connected to. */
export interface Services {
  readonly app: TestApp
  phones?: Phones
  engine?: StandInEngine
}

/** Declares a setup whose `with` has these members. @returns a function that runs it, whose result is the variable `as` */
function setup<T extends z.ZodRawShape>(
  members: T,
  run: (services: Services, given: z.infer<z.ZodObject<T>>) => Promise<unknown> | unknown,
) {
  const schema = z.strictObject(members)
  return (services: Services, given: unknown) => run(services, schema.parse(given) as z.infer<z.ZodObject<T>>)
}

const anyObject = z.record(z.string(), z.unknown())

const SETUPS: Readonly<Record<string, (services: Services, given: unknown) => unknown>> = {
  /** Changes settings of the app. */
  settings: setup({ settings: anyObject }, async ({ app }, { settings }) => {
    const { status, body } = await app.admin('PATCH', '/settings', settings)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }),
  /** Registers a user: `{ id, session }`. */
  user: setup({ username: z.string() }, ({ app }, { username }) => app.makeUser(username)),
  /** Makes fields of a class searchable. */
  searchable: setup({ className: z.string(), fields: z.record(z.string(), z.string()) }, ({ app }, given) =>
    makeSearched(app, given.className, given.fields),
  ),
  /** Waits until all changes are in the search index. */
  indexed: setup({}, ({ app }) => indexed(app)),
  /** Runs cloud code with `leanengine` until the scenario ends. */
  cloudCode: setup({ code: z.string() }, ({ app }, { code }) => startEngine(app, code, onTestFinished)),
  /** Connects an engine that responds with these bodies, by the name or path of the function. */
  standInEngine: setup({ functions: anyObject, knowsHookKey: z.boolean() }, async (services, given) => {
    const engine = await standInEngine()
    for (const [name, body] of Object.entries(given.functions)) engine.functions.set(name, json(body))
    engine.knowsHookKey = given.knowsHookKey
    services.engine = engine
    await useEngine(services.app, { production: engine.url })
  }),
  /** The last call of a function of this engine: `{ headers, body }`. */
  lastEngineCall: setup({}, ({ engine }) => {
    const call = engine?.calls.at(-1)
    if (!call) throw new Error('The engine was not called')
    return { headers: call.headers, body: JSON.parse(call.body) }
  }),
  /** Receives the text messages of the app. */
  phones: setup({}, async (services) => {
    services.phones = await connectPhones(services.app)
  }),
  /** Returns a number that has received no message. */
  phoneNumber: setup({}, ({ phones }) => phones!.newNumber()),
  /** The last code that was sent to a number. */
  smsCode: setup({ phoneNumber: z.string() }, ({ phones }, { phoneNumber }) => phones!.codeOf(phoneNumber)),
  /** Backdates the messages to a number, for its limits. */
  ageMessages: setup({ phoneNumber: z.string(), seconds: z.number() }, ({ phones }, { phoneNumber, seconds }) =>
    phones!.wait(phoneNumber, seconds),
  ),
}

/**
 * Runs a setup.
 * @returns the value for the step's `as`
 * @throws Error for an unknown setup, ZodError for wrong members of `with`
 */
export async function runSetup(services: Services, name: string, given: unknown): Promise<unknown> {
  if (!Object.hasOwn(SETUPS, name)) throw new Error(`unknown setup ${name}`)
  return SETUPS[name]!(services, given)
}
