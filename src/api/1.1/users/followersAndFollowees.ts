import { userOfPath } from '../../../social/friendship/caller-user.ts'
import { followeesOf, followersOf } from '../../../social/friendship/lists.ts'
import { JsonText, ok, withCommas } from '../../call.ts'
import { route } from '../../route.ts'

/** GET /1.1/users/:objectId/followersAndFollowees — returns both lists, each with its own limit (protocol/social, Lists). */
export const followersAndFollowees = route({
  method: 'GET',
  path: '/1.1/users/:objectId/followersAndFollowees',
  rate: 'queries',
  adminReadable: true,
  handler: async (call) => {
    const { app, caller, params, parameters } = call
    const userId = userOfPath(params.objectId, caller)
    const [followers, followees] = await Promise.all(
      [followersOf, followeesOf].map((list) => list(app.friendship, userId, parameters, caller)),
    )
    const counts =
      followers!.count === undefined
        ? ''
        : `,"followers_count":${followers!.count},"followees_count":${followees!.count}`
    return ok(
      new JsonText(
        '{"followers":[',
        ...withCommas(followers!.results),
        '],"followees":[',
        ...withCommas(followees!.results),
        `]${counts}}`,
      ),
    )
  },
})
