import { expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'

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
  const start = `homeport_http_request_seconds_count{${labels}} `
  return Number((await metrics()).find((line) => line.startsWith(start))?.slice(start.length) ?? 0)
}

test('/metrics is Prometheus text, each metric with its type', async () => {
  const lines = await metrics()
  expect(lines.filter((line) => !COMMENT.test(line) && !SAMPLE.test(line))).toEqual([])
  const typed = new Set(lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]!))
  const names = lines.filter((line) => !line.startsWith('#')).map((line) => SAMPLE.exec(line)![1]!)
  expect(names.filter((name) => !typed.has(name) && !typed.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([])
  for (const name of ['homeport_apps', 'homeport_database_waiting', 'process_resident_memory_bytes'])
    expect(typed).toContain(name)
})

test('counts requests by method, route and status, never by their raw path', async () => {
  const created = 'method="POST",route="/1.1/classes/:className",status="201"'
  const before = await counted(created)
  for (let time = 0; time < 3; time++) await app.request('POST', '/1.1/classes/Metered', { body: {} })
  // A request is counted shortly after its response is sent.
  await expect.poll(() => counted(created)).toBeGreaterThanOrEqual(before + 3)

  const missing = 'method="GET",route="unknown",status="404"'
  const missed = await counted(missing)
  await app.request('GET', '/1.1/nothing-of-that-name')
  await expect.poll(() => counted(missing)).toBeGreaterThanOrEqual(missed + 1)
  expect((await metrics()).join('\n')).not.toMatch(/Metered|nothing-of-that-name/)
})
