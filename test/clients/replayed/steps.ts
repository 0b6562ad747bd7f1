import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../support/app.ts'
import { type ClientConnection, connectClient } from './connection.ts'
import type { Capture, Fixture, Form, Step } from './fixture.ts'
import { type HttpResponse, sendRequest } from './http.ts'
import { isObject, mismatches } from './pattern.ts'
import { runSetup, type Services } from './setups.ts'
import { fill, fillPattern, fillText, innerScope, memberOf, type Scope } from './template.ts'

const RETRY_TIMEOUT_MS = 10_000
const RETRY_INTERVAL_MS = 50
/** Statuses expected by default. */
const SUCCESS = { $anyOf: [200, 201] }

type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>

interface OpenConnection {
  readonly connection: ClientConnection
  /** The messaging client whose connection it is; none for live queries over JSON. */
  readonly client: string | undefined
}

interface Run {
  readonly fixture: Fixture
  readonly services: Services
  readonly connections: Map<string, OpenConnection>
}

/** Creates the variables of a fixture: its app, the time, and the signatures that prove a key. */
export function fixtureScope({ url, appId, appKey, masterKey }: TestApp, fixture: Fixture): Scope {
  const computed: Readonly<Record<string, () => unknown>> = {
    now: Date.now,
    sign: () => signature(appKey, Date.now()),
    signOfSeconds: () => signature(appKey, Math.floor(Date.now() / 1000)),
    masterSign: () => `${signature(masterKey, Date.now())},master`,
    masterSignOfSeconds: () => `${signature(masterKey, Math.floor(Date.now() / 1000))},master`,
  }
  const outermost: Scope = {
    get: (name) => (Object.hasOwn(computed, name) ? computed[name]!() : undefined),
    set: () => {},
    patterns: fixture.patterns ?? {},
  }
  return innerScope(outermost, { url, appId, appKey, masterKey })
}

/**
 * Runs the steps of a scenario. At its end no connection may have received a command that its client would drop.
 * @throws Error that names the step, its source and each difference from what it expects
 */
export async function runScenario(
  fixture: Fixture,
  services: Services,
  steps: readonly Step[],
  scope: Scope,
): Promise<void> {
  const run: Run = { fixture, services, connections: new Map() }
  try {
    await runSteps(run, steps, scope)
    for (const [name, { connection }] of run.connections) {
      const dropped = connection.dropped()
      if (dropped.length > 0) throw new Error(`The client would drop pushes on '${name}': ${JSON.stringify(dropped)}`)
    }
  } finally {
    for (const { connection } of run.connections.values()) connection.drop()
  }
}

async function runSteps(run: Run, steps: readonly Step[], scope: Scope): Promise<void> {
  for (const [index, step] of steps.entries()) {
    try {
      await runStep(run, step, scope)
    } catch (error) {
      const source = 'source' in step && step.source !== undefined ? ` (${step.source})` : ''
      throw new Error(`step ${index + 1}, ${titleOf(step)}${source}:\n${(error as Error).message}`, { cause: error })
    }
  }
}

async function runStep(run: Run, step: Step, scope: Scope): Promise<void> {
  switch (step.kind) {
    case 'http':
      return exchange(step, scope, step.expect, () => sendHttp(run.fixture, step, scope), httpPattern(run.fixture))
    case 'request':
      return exchange(step, scope, step.expect, () => request(run, step, scope))
    case 'send':
      return connectionOf(run, step.on, scope).connection.send(command(run, step, scope))
    case 'receive':
      return exchange(step, scope, step.expect, () => receive(run, step, scope))
    case 'check':
      return exchange(step, scope, step.expect, async () => fill(step.check, scope))
    case 'connect':
      return connect(run, step, scope)
    case 'drop':
      return connectionOf(run, step.on, scope).connection.drop()
    case 'let':
      for (const [name, value] of Object.entries(step.let)) scope.set(name, fill(value, scope))
      return
    case 'sequence':
      return runSequence(run, step, scope)
    case 'setup': {
      const result = await runSetup(run.services, step.setup, fill(step.with ?? {}, scope))
      if (step.as !== undefined) scope.set(step.as, result)
    }
  }
}

/** Performs a step and compares its result, once or until it matches; then captures variables from it. */
async function exchange<T>(
  step: { readonly capture?: Capture | undefined; readonly eventually?: true | undefined },
  scope: Scope,
  expected: unknown,
  perform: () => Promise<T>,
  patternFor: (expected: unknown, result: T) => unknown = (pattern) => pattern,
): Promise<void> {
  const until = performance.now() + RETRY_TIMEOUT_MS
  for (;;) {
    const result = await perform()
    const pattern = patternFor(expected, result)
    const wrong = pattern === undefined ? [] : mismatches(fillPattern(pattern, scope), result, 'response')
    if (wrong.length === 0) return setCaptures(step.capture ?? {}, result, scope)
    if (!step.eventually || performance.now() > until) throw new Error(wrong.join('\n'))
    await sleep(RETRY_INTERVAL_MS)
  }
}

/** Adds the status to the response a step expects, and the fixture's expectation of all responses. */
function httpPattern({ responses = {} }: Fixture): (expected: unknown, response: HttpResponse) => unknown {
  return (expected, { status }) => {
    const common = status < 400 ? responses.success : responses.failure
    return { $allOf: [{ status: SUCCESS, ...(expected as object) }, ...(common ? [common] : [])] }
  }
}

async function sendHttp(fixture: Fixture, step: StepOf<'http'>, scope: Scope): Promise<HttpResponse> {
  const [method, path] = fillText(step.http, scope).split(' ', 2) as [string, string]
  const common = fixture.headers[step.as ?? 'client']
  if (!common) throw new Error(`the fixture names no headers '${step.as}'`)
  const { content, contentType } = contentOf(step, scope, fixture.contentType)
  const headers = {
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...common,
    ...(step.session !== undefined && { 'x-lc-session': step.session }),
    ...step.headers,
  }
  const query = step.query && new URLSearchParams(texts(fill(step.query, scope))).toString()
  const url = `${path.startsWith('/') ? scope.get('url') : ''}${path}${query ? `?${query}` : ''}`
  return sendRequest(method, url, texts(fill(headers, scope)), content)
}

function contentOf({ body, text, bytes, form }: StepOf<'http'>, scope: Scope, contentType: string) {
  if (body !== undefined) return { content: JSON.stringify(fill(body, scope)), contentType }
  if (text !== undefined) return { content: fillText(text, scope), contentType }
  // Bytes and forms set their own content type.
  if (bytes !== undefined) return { content: fill(bytes, scope) as Buffer, contentType: undefined }
  return { content: form && formContent(form, scope), contentType: undefined }
}

function formContent({ boundary, before = '', fields }: Form, scope: Scope): Buffer {
  const pieces = fields.flatMap(({ name, value, filename }) => {
    const file =
      filename === undefined
        ? ''
        : `; filename="${fillText(filename, scope)}"\r\nContent-Type: application/octet-stream`
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      Buffer.from(fill(value, scope) as string | Buffer),
      Buffer.from('\r\n'),
    ]
  })
  return Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

async function connect(run: Run, step: StepOf<'connect'>, scope: Scope): Promise<void> {
  const { fixture, services, connections } = run
  const name = fillText(step.connect, scope)
  if (!fixture.realtime) throw new Error('the fixture has no member `realtime`')
  if (connections.has(name)) throw new Error(`there is a connection '${name}' already`)
  const client = step.client === undefined ? undefined : fillText(step.client, scope)
  const { url } = services.app
  const connection = await connectClient(url, fixture.realtime, client, step.subprotocol ?? 'lc.protobuf2.3')
  connections.set(name, { connection, client })
}

function connectionOf({ connections }: Run, on: string, scope: Scope): OpenConnection {
  const open = connections.get(fillText(on, scope))
  if (!open) throw new Error(`there is no connection '${fillText(on, scope)}'`)
  return open
}

async function request(run: Run, step: StepOf<'request'>, scope: Scope): Promise<unknown> {
  return connectionOf(run, step.on, scope).connection.request(command(run, step, scope))
}

/** Returns the command of a step, with the members that all commands of the client have. */
function command(run: Run, step: StepOf<'request' | 'send'>, scope: Scope): Readonly<Record<string, unknown>> {
  const { fixture } = run
  const { client } = connectionOf(run, step.on, scope)
  const own = fill(step.kind === 'request' ? step.request : step.send, scope) as object
  const isProtobuf = client !== undefined
  const common = isProtobuf ? fill(fixture.realtime?.command ?? {}, innerScope(scope, { client })) : {}
  return { ...(common as object), ...own }
}

async function receive(run: Run, step: StepOf<'receive'>, scope: Scope): Promise<unknown> {
  const { connection, client } = connectionOf(run, step.on, scope)
  const selector = fillPattern(step.receive, scope)
  const withoutOp = isObject(selector) && 'cmd' in selector && !('op' in selector)
  const wanted = withoutOp ? { op: { $absent: true }, ...selector } : selector
  const receiver = step.for === undefined ? client : fillText(step.for, scope)
  return connection.receive(receiver, (push) => mismatches(wanted, push).length === 0)
}

async function runSequence(run: Run, step: StepOf<'sequence'>, scope: Scope): Promise<void> {
  const { defaults = {}, steps } = run.fixture.sequences![step.sequence]!
  const given = fill({ ...defaults, ...step.with }, scope) as Readonly<Record<string, unknown>>
  const inner = innerScope(innerScope(scope, given))
  await runSteps(run, steps, inner)
  if (step.as !== undefined) scope.set(step.as, inner.own)
  else for (const [name, value] of Object.entries(inner.own)) scope.set(name, value)
}

function setCaptures(capture: Capture, result: unknown, scope: Scope): void {
  for (const [name, from] of Object.entries(capture)) {
    const value = typeof from === 'string' ? at(result, from) : selected(from, result, scope)
    if (value === undefined) throw new Error(`there is nothing to capture as ${name} in ${JSON.stringify(result)}`)
    scope.set(name, value)
  }
}

function selected(
  { in: path, where, take, regex }: Exclude<Capture[string], string>,
  result: unknown,
  scope: Scope,
): unknown {
  const value = at(result, path)
  if (regex !== undefined) return typeof value === 'string' ? new RegExp(regex).exec(value)?.[1] : undefined
  const pattern = where === undefined ? {} : fillPattern(where, scope)
  const element = Array.isArray(value) ? value.find((it) => mismatches(pattern, it).length === 0) : undefined
  return take === undefined ? element : at(element, take)
}

function at(value: unknown, path: string): unknown {
  return memberOf(value, path.split('.'))
}

function texts(values: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values as object).map(([name, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`${name} must be a text or a number`)
      return [name, String(value)]
    }),
  )
}

/** `X-LC-Sign`, by which clients prove a key without sending it (protocol/conventions, Requests). */
function signature(key: string, time: number): string {
  return `${createHash('md5').update(`${time}${key}`).digest('hex')},${time}`
}

function titleOf(step: Step): string {
  switch (step.kind) {
    case 'http':
      return step.http
    case 'request':
    case 'send':
    case 'receive':
      return `${step.kind} on ${step.on}`
    case 'sequence':
    case 'setup':
      return `${step.kind} ${step.kind === 'sequence' ? step.sequence : step.setup}`
    default:
      return step.kind
  }
}
