import { logIn } from '../../accounts/login/log-in.ts'
import { type Call, JsonText, ok } from '../call.ts'
import { type Route, route } from '../route.ts'

/**
 * POST /1.1/login — a user with its session token, by password or code (protocol/accounts, Endpoints). SDKs of the
 * first years ask with GET.
 */
export const login: readonly Route[] = [
  route({ method: 'POST', path: '/1.1/login', rate: 'logins', handler: logInWith }),
  route({ method: 'GET', path: '/1.1/login', rate: 'logins', handler: logInWith }),
]

async function logInWith({ app, parameters, caller }: Call) {
  return ok(new JsonText((await logIn(app.accounts, parameters, caller)).text))
}
