import { errors } from '../../errors.ts'
import { type FunctionCall, runFunction } from '../../hooks/functions.ts'
import { principalOf } from '../../objects/access/origin.ts'
import { isJsonObject } from '../../values/json.ts'
import { type Answer, type Call, JsonText } from '../call.ts'
import { route } from '../route.ts'

/** POST /1.1/functions/:name — runs a function of the app's cloud code (protocol/cloud-code, Functions called by clients). */
export const functions = route({
  method: 'POST',
  path: '/1.1/functions/:name',
  rate: 'functions',
  takesArguments: true,
  heavyFrom: Number.POSITIVE_INFINITY,
  handler: (call) => answerOf('functions', call),
})

/** Runs a function and returns its response, status and body; the query string is not passed on. */
export async function answerOf(encoding: FunctionCall['encoding'], call: Call): Promise<Answer> {
  const { app, caller, params, body, session, production } = call
  if (!isJsonObject(body)) throw errors.malformedJson('The parameters of a function must be a JSON object.')
  const { status, text } = await runFunction(app.engine, {
    encoding,
    name: params.name!,
    parameters: body,
    master: caller.master,
    fromCloudCode: caller.origin?.fromCloudCode ?? false,
    session,
    production,
    clientAddress: caller.origin?.clientAddress,
    principal: caller.origin && principalOf(caller.origin),
  })
  return { status, body: new JsonText(text) }
}
