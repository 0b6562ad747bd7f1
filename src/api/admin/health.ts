import { z } from 'zod'
import { readAppSizes } from '../../health-history/app-sizes.ts'
import { readDatabase } from '../../health-history/history-table.ts'
import { quantile } from '../../health-history/latency.ts'
import type { CountedRoute } from '../../metrics/request-counts.ts'
import { VERSION } from '../../version.ts'
import { ok } from '../call.ts'
import { adminRoute } from '../route.ts'

/** Maximum number of routes in the response: the ones with the highest total time. */
const MAX_ROUTES = 50

const bytes = z.int()
const routeShape = z.object({
  method: z.string(),
  route: z.string(),
  requests: z.int(),
  failed: z.int(),
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  seconds: z.number(),
})

const answer = z.object({
  node: z.string().describe('the responding node; the figures of other nodes are in the history'),
  startedAt: z.string(),
  version: z.string(),
  runtime: z.string(),
  redis: z.enum(['connected', 'disconnected']).nullable(),
  state: z.object({
    httpConnections: z.int(),
    websockets: z.int(),
    waiting: z.int().describe('statements that wait for a connection to the database'),
    memory: bytes,
    diskFree: bytes,
    diskTotal: bytes,
  }),
  database: z.object({
    size: bytes,
    cacheHits: z
      .number()
      .nullable()
      .describe('share of pages found in memory since the statistics of the database began'),
    dueJobs: z.int(),
    failedJobs: z.int(),
  }),
  apps: z.array(
    z.object({
      appId: z.string(),
      bytes,
      before: z.object({ at: z.string(), bytes }).nullable(),
    }),
  ),
  routes: z.array(routeShape).describe('since the node started; latencies in milliseconds'),
  slow: z.array(
    z.object({
      method: z.string(),
      route: z.string(),
      status: z.int(),
      milliseconds: z.number(),
      at: z.string(),
    }),
  ),
})

/**
 * GET /admin/health — returns the current state of the responding node, and the sizes of the apps (docs/operations.md,
 * Health).
 */
export const adminHealth = adminRoute({
  method: 'GET',
  path: '/admin/health',
  need: 'own',
  summary: 'Returns the state of the responding node.',
  answer,
  handler: async ({ server }) => {
    const { health, metrics, database } = server
    const [state, figures, apps, routes] = await Promise.all([
      health.state(),
      readDatabase(database),
      readAppSizes(database),
      metrics.requests.routes(),
    ])
    const isConnected = server.redisConnected()
    const cacheReads = figures.cacheHits + figures.cacheMisses
    return ok({
      node: health.name,
      startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
      version: VERSION,
      runtime: `Node ${process.versions.node}`,
      redis: isConnected === null ? null : isConnected ? 'connected' : 'disconnected',
      state,
      database: {
        size: figures.databaseSize,
        cacheHits: cacheReads > 0 ? figures.cacheHits / cacheReads : null,
        dueJobs: figures.dueJobs,
        failedJobs: figures.failedJobs,
      },
      apps,
      routes: routes
        .sort((a, b) => b.seconds - a.seconds)
        .slice(0, MAX_ROUTES)
        .map(shown),
      slow: metrics.requests.slow,
    })
  },
})

function shown({ method, route, requests, failed, latency, seconds }: CountedRoute): z.infer<typeof routeShape> {
  return { method, route, requests, failed, p50: quantile(latency, 0.5), p99: quantile(latency, 0.99), seconds }
}
