import { deleteRequest, updateRequest } from '../../../social/friendship/class-writes.ts'
import { REQUEST } from '../../../social/friendship/friendship.ts'
import { callerOf, objectRoutes, PLAIN_ACTIONS } from '../classes.ts'

/** Friend requests as objects of their class (protocol/social, Objects of friendship classes). */
export const friendshipRequestObjects = objectRoutes(`/1.1/classes/${REQUEST}`, () => REQUEST, {
  ...PLAIN_ACTIONS,
  update: ({ app, body, caller }, _className, id, options) => updateRequest(app.friendship, id, body, options, caller),
  remove: (call, className, id, where) => deleteRequest(call.app.friendship, id, where, callerOf(call, className)),
})
