import { expect, it } from 'vitest'
import { type MetricSources, Metrics } from './metrics.ts'

async function linesOf(sources: MetricSources, name: string): Promise<string[]> {
  const text = await new Metrics(sources).text()
  return text.split('\n').filter((line) => line.startsWith(name))
}

it('writes samples with their labels', async () => {
  const read = () => [
    { labels: ['mail', 'sent'], value: 3 },
    { labels: ['a"b\n\\', 'failed'], value: 1 },
  ]
  expect(await linesOf({ x_total: { type: 'counter', help: 'X.', labels: ['kind', 'outcome'], read } }, 'x_')).toEqual([
    'x_total{kind="mail",outcome="sent"} 3',
    'x_total{kind="a\\"b\\n\\\\",outcome="failed"} 1',
  ])
})

it.each<[string, MetricSources[string]['read']]>([
  ['null', () => null],
  ['an error', () => Promise.reject(new Error('gone'))],
])('writes no sample for %s', async (_, read) => {
  expect(await linesOf({ x_bytes: { type: 'gauge', help: 'X.', read } }, 'x_')).toEqual([])
})

it('drops samples that are no longer read', async () => {
  let samples = [{ labels: ['disk'], value: 1 }]
  const metrics = new Metrics({ x: { type: 'gauge', help: 'X.', labels: ['alert'], read: () => samples } })
  expect(await metrics.text()).toContain('x{alert="disk"} 1')
  samples = []
  expect(await metrics.text()).not.toContain('x{alert="disk"}')
})

it('counts requests by route for the console and by class for Prometheus', async () => {
  const metrics = new Metrics({})
  const request = { method: 'GET', route: '/1.1/users/:id', class: 'reads', status: 200, milliseconds: 3 }
  for (const status of [200, 404, 500]) metrics.requests.observe({ ...request, status })
  metrics.requests.observe({ ...request, milliseconds: 1500 })
  expect(await metrics.requests.routes()).toMatchObject([{ requests: 4, refused: 1, failed: 1 }])
  expect(metrics.requests.slow).toMatchObject([{ route: '/1.1/users/:id', milliseconds: 1500 }])
  const text = await metrics.text()
  expect(text).toContain(
    'homeport_http_requests_total{class="reads",method="GET",route="/1.1/users/:id",status="200"} 2',
  )
  expect(text).toContain('homeport_http_request_duration_seconds_count{class="reads"} 4')
  expect(text).not.toContain('homeport_route_duration_seconds')
})
