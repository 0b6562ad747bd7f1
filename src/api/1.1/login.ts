import { logIn } from '../../accounts/login/log-in.ts'
import { type Call, JsonText, ok } from '../call.ts'
import { type Route, route } from '../route.ts'

/**
 * POST /1.1/login — logs a user in by password or code, and returns it with its session token (protocol/accounts,
 * Endpoints). Early SDKs use GET.
 */
export const login: readonly Route[] = [
  route({ method: 'POST', path: '/1.1/login', rate: 'logins', handler: logInWith }),
  route({ method: 'GET', path: '/1.1/login', rate: 'logins', handler: logInWith }),
]

async function logInWith({ app, parameters, caller }: Call) {
  return ok(new JsonText((await logIn(app.accounts, parameters, caller)).text))
}
