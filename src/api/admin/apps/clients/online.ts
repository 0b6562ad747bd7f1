import { z } from 'zod'
import { checkClientIds } from '../../../../messaging/client-ids.ts'
import { parseJson } from '../../../../values/json.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const MAX_REQUESTED = 100
const MAX_LISTED = 200

const clientIds = z.array(z.string().min(1).max(64)).min(1).max(MAX_REQUESTED)

const listed = z.strictObject({
  after: z.string().max(64).default('').describe('the last client of the previous page'),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(50),
})

const query = z.strictObject({
  /** A JSON list of client ids. */
  ids: z.string().max(16_000),
})

/** GET /admin/apps/:appId/clients/online — returns which clients of messaging are online on any node. */
export const clientsOnline = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/clients/online',
  need: 'see',
  summary: `Returns which of at most ${MAX_REQUESTED} messaging clients are online.`,
  query,
  answer: z.object({ online: z.array(z.string()) }),
  handler: async (call) => {
    const ids = checkClientIds(parseBody(clientIds, parseJson(parseBody(query, call.query).ids, "'ids'")))
    const { messaging } = await appOf(call)
    const online = await messaging.presence.online(ids)
    return ok({ online: ids.filter((clientId) => online.has(clientId)) })
  },
})

/** GET /admin/apps/:appId/clients — returns the clients of messaging that are online, ordered by id. */
export const onlineClients = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/clients',
  need: 'see',
  summary:
    'Lists the messaging clients that are online: on all nodes if they share Redis, else on the responding node.',
  query: listed,
  answer: z.object({
    clients: z.array(z.string()),
    isOfAllNodes: z.boolean().describe('false: other nodes can have more clients'),
    node: z.string().describe('the responding node'),
  }),
  handler: async (call) => {
    const { after, limit } = parseBody(listed, call.query)
    const { messaging } = await appOf(call)
    const { server } = call
    const isOfAllNodes = messaging.presence.isAlone || server.redisConnected() === true
    const clients = await messaging.presence.listOnline(after, limit)
    return ok({ clients, isOfAllNodes, node: server.health.name })
  },
})
