import { z } from 'zod'
import { runFunction } from '../../../../hooks/functions.ts'
import type { JsonObject } from '../../../../values/json.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const body = z.strictObject({
  parameters: z.record(z.string(), z.unknown()).default({}),
  production: z.boolean().default(true),
  sessionToken: z.string().max(200).optional().describe('user who makes the call; default: a call with the master key'),
})

/** POST /admin/apps/:appId/engine/functions/:name — runs a function of the cloud code, and returns its response. */
export const adminEngineFunction = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/engine/functions/:name',
  need: 'change',
  summary: "Calls a function of the app's cloud code and returns its response.",
  body,
  answer: z.object({ status: z.int(), answer: z.looseObject({}), milliseconds: z.number() }),
  handler: async (call) => {
    const { parameters, production, sessionToken } = parseBody(body, call.body)
    const { engine } = await appOf(call)
    const began = performance.now()
    const { status, text } = await runFunction(engine, {
      encoding: 'functions',
      name: call.params.name!,
      parameters: parameters as JsonObject,
      master: sessionToken === undefined,
      fromCloudCode: false,
      session: sessionToken,
      production,
      clientAddress: call.sent.address,
      principal: undefined,
    })
    return ok({ status, answer: JSON.parse(text) as object, milliseconds: performance.now() - began })
  },
})
