import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { Found } from '../../objects/reading/find.ts'
import { userOfPath } from '../../social/friendship/caller-user.ts'
import type { Friendship } from '../../social/friendship/friendship.ts'
import { type Answer, type Call, ok, resultsText } from '../call.ts'

type List = (friendship: Friendship, userId: string, parameters: Parameters, caller: Caller) => Promise<Found>

/** Returns a list of a user's relationships, in the form of a class query; those of the session's user if the path names none. */
export async function listAnswer({ app, caller, params, parameters }: Call, list: List): Promise<Answer> {
  const userId = userOfPath(params.objectId ?? 'self', caller)
  const { results, count } = await list(app.friendship, userId, parameters, caller)
  const counted = count === undefined ? '' : `,"count":${count}`
  return ok(resultsText(results, counted))
}
