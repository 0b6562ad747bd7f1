import { spawnSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { findProgram } from '../support/find-program.ts'

const app = await makeApp()

/** The lines of the Prometheus text format: comments, and samples of a name, labels and a number. */
const COMMENT =
  /^# (HELP [a-zA-Z_:][a-zA-Z0-9_:]* .*|TYPE [a-zA-Z_:][a-zA-Z0-9_:]* (counter|gauge|histogram|summary|untyped))$/
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="(\\.|[^"\\\n])*",?)*\})? (-?[0-9.]+(e[+-]?[0-9]+)?|[+-]?Inf|NaN)$/

async function metrics(): Promise<string[]> {
  const response = await fetch(`${app.url}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
  return (await response.text()).split('\n').filter((line) => line !== '')
}

const counted = async (labels: string) => {
  const start = `homeport_http_requests_total{${labels}} `
  return Number((await metrics()).find((line) => line.startsWith(start))?.slice(start.length) ?? 0)
}

test('/metrics is Prometheus text, each metric with its type', async () => {
  const lines = await metrics()
  expect(lines.filter((line) => !COMMENT.test(line) && !SAMPLE.test(line))).toEqual([])
  const typed = new Set(lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]!))
  const names = lines.filter((line) => !line.startsWith('#')).map((line) => SAMPLE.exec(line)![1]!)
  expect(names.filter((name) => !typed.has(name) && !typed.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([])
  for (const name of ['homeport_apps', 'homeport_database_waiting_statements', 'process_resident_memory_bytes'])
    expect(typed).toContain(name)
})

test('counts requests by method, route and status, never by their raw path', async () => {
  const created = 'class="writes",method="POST",route="/1.1/classes/:className",status="201"'
  const before = await counted(created)
  for (let time = 0; time < 3; time++) await app.request('POST', '/1.1/classes/Metered', { body: {} })
  // A request is counted shortly after its response is sent.
  await expect.poll(() => counted(created)).toBeGreaterThanOrEqual(before + 3)

  const missing = 'class="unknown",method="GET",route="unknown",status="404"'
  const missed = await counted(missing)
  await app.request('GET', '/1.1/nothing-of-that-name')
  await expect.poll(() => counted(missing)).toBeGreaterThanOrEqual(missed + 1)
  expect((await metrics()).join('\n')).not.toMatch(/Metered|nothing-of-that-name/)
})

const promtool = findProgram('HOMEPORT_TEST_PROMTOOL', ['promtool'])

test.skipIf(promtool === null)('/metrics follows the conventions of Prometheus', async () => {
  const { status, stdout, stderr } = spawnSync(promtool!, ['check', 'metrics'], {
    input: `${(await metrics()).join('\n')}\n`,
    encoding: 'utf8',
  })
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' })
})

test('the latency histogram has a series for each class of endpoints', async () => {
  await app.request('GET', '/1.1/classes/Metered')
  const line = /^homeport_http_request_duration_seconds_count\{class="(\w+)"\}/
  const classes = async () => (await metrics()).flatMap((text) => line.exec(text)?.[1] ?? [])
  await expect.poll(classes).toEqual(expect.arrayContaining(['queries', 'open']))
})

test('gauges that depend on the database have values', async () => {
  const value = async (name: string) =>
    Number((await metrics()).find((text) => text.startsWith(`${name} `))?.slice(name.length))
  expect(await value('homeport_apps')).toBeGreaterThan(0)
  expect(await value('homeport_disk_free_bytes')).toBeGreaterThan(0)
  await expect.poll(() => value('homeport_database_size_bytes')).toBeGreaterThan(0)
  await expect.poll(() => value('homeport_files_size_bytes')).toBeGreaterThanOrEqual(0)
})

const read = (headers: Record<string, string>) => fetch(`${app.url}/metrics`, { headers }).then(({ status }) => status)

test.each([
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Forwarded', 'for=127.0.0.1'],
  ['X-Real-IP', '203.0.113.7'],
  ['Via', '1.1 proxy'],
])('a request that an unnamed proxy forwards needs a token: %s: %s', async (name, value) => {
  expect(await read({ [name]: value })).toBe(401)
  expect(await read({ [name]: value, authorization: `Bearer ${inject('adminToken')}` })).toBe(200)
})

test.each(['Bearer wrong', 'Basic dXNlcjpwYXNz', 'Bearer', ''])(
  'a wrong token is rejected: %j',
  async (authorization) => {
    expect(await read({ authorization })).toBe(401)
  },
)

test('/health returns the version and nothing about the machine', async () => {
  const body = (await (await fetch(`${app.url}/health`)).json()) as Record<string, unknown>
  expect(body).toEqual({ status: 'ok', database: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
})
