import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { nodeCounts } from '../../src/counts.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import { serverMetrics } from '../../src/metrics/server-metrics.ts'
import { findProgram } from '../support/find-program.ts'

const promtool = findProgram('HOMEPORT_TEST_PROMTOOL', ['promtool'])
const RULES = 'deploy/prometheus/homeport-alerts.yml'
const DASHBOARD = 'deploy/grafana/homeport.json'

/** All metrics of a server, with values where a metric without a value has none. */
const sources = serverMetrics({
  version: '1.0.0',
  counts: nodeCounts(),
  apps: () => 1,
  httpConnections: async () => 1,
  realtimeConnections: () => 1,
  realtimeClients: () => 1,
  jobs: async () => [{ kind: 'mail', state: 'waiting', count: 1 }],
  database: { waiting: () => 0, isDiskFull: () => false, size: async () => 1 },
  postgresRestarts: () => 0,
  redisConnected: () => true,
  engines: () => ({ up: 1, down: 0 }),
  disk: async () => ({ free: 1, total: 2 }),
  diskReserve: () => 1,
  fileBytes: async () => 1,
  lastBackup: () => 1,
  certificates: () => [{ domain: 'api.example.org', expiresAt: 1 }],
  alerts: () => ['disk'],
})
const metrics = new Metrics(sources)
metrics.requests.observe({ class: 'reads', method: 'GET', route: '/', status: 200, milliseconds: 1 })
const text = await metrics.text()
const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => [name!, help!]))
/** The labels of each metric: those that its part declares, and those of samples that the libraries make. */
const labels = new Map<string, readonly string[]>(
  [...text.matchAll(/^(\w+?)(?:_bucket)?\{([^}]*)\} /gm)].map(([, name, list]) => [
    name!,
    [...list!.matchAll(/(\w+)="/g)].map(([, label]) => label!).filter((label) => label !== 'le'),
  ]),
)
for (const [name, { labels: declared = [] }] of Object.entries(sources)) labels.set(name, declared)

/** Returns the names of the metrics in a query. Prometheus adds `up`. */
function metricsIn(query: string): string[] {
  return [...query.matchAll(/\b((?:homeport|nodejs|process)_\w+)\b/g)].map(([, name]) => name!)
}

function unknownIn(queries: readonly string[]): string[] {
  const names = new Set(queries.flatMap(metricsIn))
  return [...names].filter(
    (name) => !types.has(name) && types.get(name.replace(/_(bucket|sum|count)$/, '')) !== 'histogram',
  )
}

/** Returns the labels in selectors and groupings of a query that no metric of it has. */
function unknownLabelsIn(query: string): string[] {
  const known = new Set(metricsIn(query).flatMap((name) => labels.get(name.replace(/_(bucket|sum|count)$/, '')) ?? []))
  const selected = [...query.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)"/g)].map(([, label]) => label!)
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').map((one) => one.trim()),
  )
  return [...selected, ...grouped].filter((label) => !['instance', 'job', 'le'].includes(label) && !known.has(label))
}

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const rules = readFileSync(RULES, 'utf8')
const ruleQueries = rules
  .split('- alert:')
  .slice(1)
  .map((rule) => /expr:([\s\S]*?)\n {8}(?:for|labels):/.exec(rule)![1]!)

it('finds the queries of the dashboard and of the rules', () => {
  expect(panelQueries.length).toBeGreaterThan(30)
  expect(ruleQueries.length).toBeGreaterThan(10)
  expect(panelQueries.filter((query) => metricsIn(query).length === 0)).toEqual([])
})

it('the dashboard shows only metrics and labels that the server exports', () => {
  const variables = dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query))
  expect(unknownIn([...panelQueries, ...variables])).toEqual([])
  expect(panelQueries.flatMap(unknownLabelsIn)).toEqual([])
})

it('the alert rules use only metrics and labels that the server exports', () => {
  expect(unknownIn(ruleQueries)).toEqual([])
  expect(ruleQueries.flatMap(unknownLabelsIn)).toEqual([])
})

it.skipIf(promtool === null)('promtool accepts the alert rules and all metrics', () => {
  const check = (what: string, args: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(promtool!, ['check', what, ...args], { input, encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  expect(check('rules', [RULES])).toMatchObject({ status: 0 })
  expect(check('metrics', [], text)).toEqual({ status: 0, output: '' })
})

it.skipIf(promtool === null)('promtool accepts the queries of the dashboard', () => {
  const expressions = panelQueries.map((query) =>
    query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  )
  const groups = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
  const file = join(mkdtempSync(join(tmpdir(), 'homeport-rules-')), 'panels.json')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: groups }] }))
  const { status, stderr } = spawnSync(promtool!, ['check', 'rules', file], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** The rows of the table of metrics: a node's own ones, without those of the libraries for Node. */
const TABLE = /(?<=\| Metric \| Type \| Labels \| Meaning \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)*/

it('lists all metrics on the page of monitoring (otherwise run this test with -u)', async () => {
  const rows = [...helps]
    .filter(([name]) => name.startsWith('homeport_'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, help]) => {
      const own = (labels.get(name) ?? []).map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${types.get(name)} | ${own && `${own} `}| ${help} |\n`
    })
  const page = readFileSync('docs/monitoring.md', 'utf8').replace(TABLE, () => rows.join(''))
  await expect(page).toMatchFileSnapshot('../../docs/monitoring.md')
})

it('the Chinese page lists the same metrics with their types and labels', () => {
  const rowsOf = (file: string, heading: RegExp) =>
    heading
      .exec(readFileSync(file, 'utf8'))![0]
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, 4)
          .map((cell) => cell.trim()),
      )
  const chinese = /(?<=\| 指标 \| 类型 \| 标签 \| 含义 \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)*/
  expect(rowsOf('docs/monitoring.zh-CN.md', chinese)).toEqual(rowsOf('docs/monitoring.md', TABLE))
})
