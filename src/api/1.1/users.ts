import { changePassword } from '../../accounts/login/password-change.ts'
import { signUp } from '../../accounts/login/sign-up.ts'
import { findStrictly } from '../../accounts/strict-query.ts'
import { deleteUser } from '../../accounts/users/delete-user.ts'
import { readUser, refreshSession, userOfSession } from '../../accounts/users/session-user.ts'
import { updateUser } from '../../accounts/users/update-user.ts'
import { isSet } from '../../objects/query-parameters.ts'
import { checkObjectId } from '../../values/names.ts'
import { type Answer, type Call, created, JsonText, ok, resultsText } from '../call.ts'
import { type Route, route } from '../route.ts'
import { callerOf, type ObjectActions, objectRoutes } from './classes.ts'

/** Actions of users. Passwords, session tokens and linked accounts are not fields of the object. */
const actions: ObjectActions = {
  read: ({ app, caller, session }, _className, id, view) => readUser(app.accounts, id, view, caller, session),
  create: register,
  update: ({ app, body, mailUrl, caller }, _className, id, options) =>
    updateUser(app.accounts, id, body, options, mailUrl, caller),
  remove: (call, className, id, where) => deleteUser(call.app.accounts, id, where, callerOf(call, className)),
}

/** Users, at their own path and as objects of `_User` (protocol/accounts, Endpoints). */
export const users: readonly Route[] = [
  route({ method: 'GET', path: '/1.1/users/me', rate: 'reads', adminReadable: true, handler: me }),
  route({
    method: 'GET',
    path: '/1.1/users/strictlyQuery',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app, parameters, caller }) => {
      const results = await findStrictly(app.accounts, parameters, caller)
      return ok(resultsText(results))
    },
  }),
  route({
    method: 'PUT',
    path: '/1.1/users/:objectId/refreshSessionToken',
    rate: 'writes',
    handler: async ({ app, params, caller }) =>
      ok(new JsonText(await refreshSession(app.accounts, checkObjectId(params.objectId), caller))),
  }),
  route({
    method: 'PUT',
    path: '/1.1/users/:objectId/updatePassword',
    rate: 'logins',
    handler: async ({ app, params, parameters, caller }) =>
      ok(await changePassword(app.accounts, checkObjectId(params.objectId), parameters, caller)),
  }),
  ...objectRoutes('/1.1/users', () => '_User', actions),
  ...objectRoutes('/1.1/classes/_User', () => '_User', actions),
]

/** Registers a user. Status 201 for a new user, 200 for an existing one found by third-party data; both with `Location`. */
async function register({ app, body, query, mailUrl, caller }: Call): Promise<Answer> {
  const options = { failOnNotExist: isSet(query.failOnNotExist), baseUrl: mailUrl }
  const { id, isNew, text } = await signUp(app.accounts, body, options, caller)
  return { ...created('_User', id, new JsonText(text)), status: isNew ? 201 : 200 }
}

/** Returns the user of a session. Some SDKs send the token as a parameter (protocol/conventions, Session token alternatives). */
async function me({ app, parameters, session }: Call): Promise<Answer> {
  const token = parameters.session_token ?? session
  return ok(new JsonText(await userOfSession(app.accounts, token)))
}
