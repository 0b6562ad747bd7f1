import { deleteFollowRow, updateFollowRow } from '../../../social/friendship/class-writes.ts'
import type { FollowClass } from '../../../social/friendship/follow-rows.ts'
import { FOLLOWEE } from '../../../social/friendship/friendship.ts'
import { callerOf, type ObjectActions, objectRoutes, PLAIN_ACTIONS } from '../classes.ts'

/** Returns the actions for the rows of a follow: the opposite row is written along. */
export function followWrites(className: FollowClass): ObjectActions {
  return {
    ...PLAIN_ACTIONS,
    update: ({ app, body, caller }, _className, id, options) =>
      updateFollowRow(app.friendship, className, id, body, options, caller),
    remove: (call, _className, id, where) =>
      deleteFollowRow(call.app.friendship, className, id, where, callerOf(call, className)),
  }
}

/** Followees of users as objects of their class (protocol/social, Objects of friendship classes). */
export const followeeObjects = objectRoutes(`/1.1/classes/${FOLLOWEE}`, () => FOLLOWEE, followWrites(FOLLOWEE))
