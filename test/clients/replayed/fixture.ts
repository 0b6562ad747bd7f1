import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { checkPattern } from './pattern.ts'
import { checkTemplate } from './template.ts'

// The format of the fixtures. Unknown keys, operators and names are errors, so that a typo cannot make an expectation
// vacuous.

/** A value of a request (template.ts). */
const template = z.json().superRefine((value, context) => report(checkTemplate(value), context))
/** What a response or push must be like (pattern.ts). */
const pattern = z.json().superRefine((value, context) => report(checkPattern(value), context))
const members = z.record(z.string(), template)
const name = z.string().regex(/^[a-zA-Z]\w*$/)

/**
 * Variables that a step sets: the value at a path such as `body.results.0.objectId`. With `where` the path names an array,
 * and the value is the first element that matches, or its member at `take`; with `regex` it is the first group.
 */
const capture = z.record(
  name,
  z.union([
    z.string(),
    z.strictObject({
      in: z.string(),
      where: pattern.optional(),
      take: z.string().optional(),
      regex: z.string().optional(),
    }),
  ]),
)

const common = {
  capture: capture.optional(),
  /** The function of the client that requires this, and how it uses the response. */
  source: z.string().optional(),
}
/** Whether the request is repeated until the expectation holds. */
const eventually = z.literal(true).optional()

const httpExpectation = z
  .strictObject({ status: pattern, headers: pattern, body: pattern, text: pattern, bytes: pattern })
  .partial()
  .refine((expectation) => Object.keys(expectation).length > 0, 'expects nothing')

const form = z.strictObject({
  boundary: z.string(),
  /** Text the client writes before the first boundary. */
  before: z.string().optional(),
  fields: z.array(
    z.strictObject({
      name: z.string(),
      value: template,
      /** Fields with a file name have the type `application/octet-stream`. */
      filename: z.string().optional(),
    }),
  ),
})

const STEPS = {
  /** Sends a request. Without an expected status it must be 200 or 201. */
  http: z
    .strictObject({
      /** Method and path, or a whole URL. */
      http: z.string().regex(/^(GET|POST|PUT|DELETE) \S+$/),
      /** The name of the fixture's headers to send; defaults to `client`. */
      as: name.optional(),
      query: members.optional(),
      session: z.string().optional(),
      headers: members.optional(),
      /** Sent as JSON. */
      body: template.optional(),
      text: z.string().optional(),
      bytes: template.optional(),
      form: form.optional(),
      eventually,
      expect: httpExpectation.optional(),
      ...common,
    })
    .refine(({ body, text, bytes, form }) => [body, text, bytes, form].filter((it) => it !== undefined).length <= 1, {
      message: 'a request has one body',
    }),
  /** Opens a connection for a messaging client, under a name for later steps. */
  connect: z.strictObject({
    connect: z.string(),
    client: z.string().optional(),
    subprotocol: z.enum(['lc.protobuf2.1', 'lc.protobuf2.3', 'lc.json.3']).optional(),
    source: common.source,
  }),
  /** Sends a command with a number and waits for the response with that number. */
  request: z.strictObject({ on: z.string(), request: template, eventually, expect: pattern, ...common }),
  /** Sends a command without a number, which has no response. */
  send: z.strictObject({ on: z.string(), send: template, source: common.source }),
  /**
   * Takes the first command without a number that matches and that no earlier step took. A selector without `op` means a
   * command without one. `for` names the client or the live query that must receive it; the connection's client unless given.
   */
  receive: z.strictObject({
    on: z.string(),
    receive: pattern,
    for: z.string().optional(),
    expect: pattern.optional(),
    ...common,
  }),
  /** Breaks a connection without closing it. */
  drop: z.strictObject({ on: z.string(), drop: z.literal(true) }),
  /** Sets variables. */
  let: z.strictObject({ let: members }),
  /** Compares a value that earlier steps captured. */
  check: z.strictObject({ check: template, expect: pattern, ...common }),
  /** Runs one of the fixture's sequences. Its captures become members of the variable `as`, or variables without it. */
  sequence: z.strictObject({
    sequence: name,
    with: members.optional(),
    as: name.optional(),
    source: common.source,
  }),
  /** Prepares the app outside its public API (setups.ts). */
  setup: z.strictObject({ setup: name, with: members.optional(), as: name.optional() }),
}

type Kind = keyof typeof STEPS
type StepOf<K extends Kind> = { readonly kind: K } & z.infer<(typeof STEPS)[K]>
export type Step = { [K in Kind]: StepOf<K> }[Kind]

/** Parses a step by the schema of its kind alone, whose errors are then about that kind. */
const step = z.record(z.string(), z.json()).transform((value, context): Step => {
  const kind = (Object.keys(STEPS) as Kind[]).find((key) => Object.hasOwn(value, key))
  if (!kind) return invalid(context, `a step must have one of ${Object.keys(STEPS).join(', ')}`)
  const { data, error } = STEPS[kind].safeParse(value)
  return data ? ({ kind, ...data } as Step) : invalid(context, z.prettifyError(error!))
})
const steps = z.array(step)

const sequence = z.strictObject({
  /** Parameters without a default, which each step must set. */
  parameters: z.array(name).optional(),
  defaults: members.optional(),
  steps,
})

const scenario = z.strictObject({
  /** A rule. */
  name: z.string(),
  source: z.string().optional(),
  /** Variables of each run of the steps; they run once without it. */
  cases: z.array(members).min(1).optional(),
  steps: steps.min(1),
})

const realtime = z.strictObject({
  /** The number of the first request of a connection. */
  firstNumber: z.int(),
  /** Default members of every command. */
  command: members.optional(),
  /** The longest command that the client sends. */
  maxCommandBytes: z.int().optional(),
  /** How the client finds the receiver of a command without a number (connection.ts). */
  routing: z.enum(['connection', 'peerId', 'service']),
})

const fixture = z.strictObject({
  client: z.string(),
  versions: z.string(),
  note: z.string(),
  /** Request headers by name; `client` contains the headers the client sends. */
  headers: z.object({ client: members }).catchall(members),
  /** `Content-Type` of requests with a body. */
  contentType: z.string(),
  /** Patterns that hold for every response with a status below 400, and from 400 up. */
  responses: z.strictObject({ success: httpExpectation, failure: httpExpectation }).partial().optional(),
  realtime: realtime.optional(),
  patterns: z.record(name, pattern).optional(),
  sequences: z.record(name, sequence).optional(),
  /** Run once, before the scenarios. */
  setup: steps.optional(),
  /** Variables set at the start of each scenario; `{{scenario}}` is its number. */
  variables: members.optional(),
  scenarios: z.array(scenario).min(1),
})

export type Fixture = z.infer<typeof fixture>
export type RealtimeClient = z.infer<typeof realtime>
export type Capture = z.infer<typeof capture>
export type Form = z.infer<typeof form>

/**
 * Parses a fixture.
 * @throws Error that names each invalid member
 */
export function parseFixture(value: unknown): Fixture {
  const { data, error } = fixture.safeParse(value)
  if (!data) throw new Error(z.prettifyError(error))
  for (const { sequence: called, with: given = {} } of sequenceSteps(data)) {
    const { parameters = [], defaults = {} } = data.sequences?.[called] ?? fail(`unknown sequence ${called}`)
    for (const parameter of parameters) {
      if (!Object.hasOwn(given, parameter)) fail(`the sequence ${called} needs ${parameter}`)
    }
    for (const parameter of Object.keys(given)) {
      if (!parameters.includes(parameter) && !Object.hasOwn(defaults, parameter)) {
        fail(`the sequence ${called} has no parameter ${parameter}`)
      }
    }
  }
  return data
}

/** Reads all fixtures of a directory, by the names of their files without `.json`. */
export function loadFixtures(directory: URL): ReadonlyMap<string, Fixture> {
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'))
  return new Map(
    files.toSorted().map((file) => {
      try {
        return [
          file.slice(0, -'.json'.length),
          parseFixture(JSON.parse(readFileSync(new URL(file, directory), 'utf8'))),
        ]
      } catch (error) {
        throw new Error(`The fixture ${file} is invalid:\n${(error as Error).message}`)
      }
    }),
  )
}

function sequenceSteps({ setup = [], sequences = {}, scenarios }: Fixture): StepOf<'sequence'>[] {
  const all = [setup, ...Object.values(sequences).map((it) => it.steps), ...scenarios.map((it) => it.steps)]
  return all.flat().filter((it) => it.kind === 'sequence')
}

function report(problems: readonly string[], context: z.RefinementCtx): void {
  for (const message of problems) context.addIssue({ code: 'custom', message })
}

function invalid(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

function fail(message: string): never {
  throw new Error(message)
}
