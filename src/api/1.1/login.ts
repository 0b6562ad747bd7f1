import { logIn } from '../../accounts/login/log-in.ts'
import { JsonText, ok } from '../call.ts'
import { type Route, route } from '../route.ts'

/**
 * POST /1.1/login — a user with its session token, by password or code (protocol/accounts, Endpoints). SDKs of the
 * first years ask with GET.
 */
export const login: readonly Route[] = [
  route('POST', '/1.1/login', async ({ app, body, caller }) =>
    ok(new JsonText((await logIn(app.accounts, body, caller)).text)),
  ),
  route('GET', '/1.1/login', async ({ app, query, caller }) =>
    ok(new JsonText((await logIn(app.accounts, query, caller)).text)),
  ),
]
