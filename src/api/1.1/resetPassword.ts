import { type AccountLink, findLink } from '../../accounts/account-links.ts'
import { byId, findUser } from '../../accounts/accounts.ts'
import { resetPassword as reset } from '../../accounts/password-reset.ts'
import { checkPassword } from '../../accounts/user-body.ts'
import { ApiError, errors } from '../../errors.ts'
import { asParameters } from '../../objects/query-parameters.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import { member } from '../../values/json.ts'
import { type Answer, html, ok } from '../call.ts'
import { type Language, languageOf } from '../pages/language.ts'
import { linkInvalidPage } from '../pages/link-invalid-page.ts'
import { PAGE_HEADERS } from '../pages/page.ts'
import { type PasswordFault, passwordChangedPage, resetPasswordPage } from '../pages/reset-password-page.ts'
import { parametersOf } from '../parameters.ts'
import { RequestPrincipal } from '../request-principal.ts'
import { openRoute, type Route, type ServerCall } from '../route.ts'

/**
 * The target of the link in a reset mail: a page that takes a new password (protocol/accounts, E-mail flows). Opening
 * the page does not use up the link. The page's form, or an app's own page with a JSON body of `password`, sets the
 * password.
 */
export const resetPassword: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/1.1/resetPassword/:token',
    handler: async (call) => {
      const target = await targetOf(call)
      return target ? form(call, target) : invalid(call)
    },
  }),
  openRoute({
    method: 'POST',
    path: '/1.1/resetPassword/:token',
    handler: async (call) => {
      const target = await targetOf(call)
      if (call.wantsPage) return target ? submit(call, target) : invalid(call)
      if (!target) throw errors.badArgument('The link has expired or was used; request another one.')
      const { password } = parametersOf(call.query, call.body)
      if (password === undefined || password === null) throw errors.passwordMissing()
      if (!(await resetAs(call, target, checkPassword(password))))
        throw errors.badArgument('The link has expired or was used; request another one.')
      return ok({})
    },
  }),
]

interface Target {
  readonly app: RunningApp
  readonly link: AccountLink
}

async function targetOf({ server, params }: ServerCall): Promise<Target | null> {
  const link = await findLink(server.database, 'reset', params.token!)
  const app = link && (await server.running.open(link.appId))
  return link && app ? { app, link } : null
}

/** @returns whether the link was still usable */
function resetAs({ sent, params }: ServerCall, { app, link }: Target, password: string): Promise<boolean> {
  const principal = new RequestPrincipal(app.id, sent.address, { userId: null, master: false })
  return reset(app.accounts, link, params.token!, password, principal)
}

async function submit(call: ServerCall, target: Target): Promise<Answer> {
  const { password, confirmation } = asParameters(call.body)
  const fault = faultOf(password, confirmation)
  if (fault) return form(call, target, fault)
  const done = await resetAs(call, target, String(password))
  return done ? html(passwordChangedPage(language(call), target.app.record.name), PAGE_HEADERS) : invalid(call)
}

function faultOf(password: unknown, confirmation: unknown): PasswordFault | undefined {
  if (password !== confirmation) return 'different'
  try {
    checkPassword(password)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return typeof password === 'string' && password.trim() !== '' ? 'long' : 'blank'
  }
}

async function form(call: ServerCall, { app, link }: Target, fault?: PasswordFault): Promise<Answer> {
  const user = await findUser(app.accounts, byId(link.userId))
  if (!user) return invalid(call)
  const username = String(member(user.data, 'username') ?? '')
  const content = resetPasswordPage(language(call), { appName: app.record.name, username, fault })
  return html(content, PAGE_HEADERS, fault ? 400 : 200)
}

function invalid(call: ServerCall): Answer {
  return html(linkInvalidPage(language(call), 'reset'), PAGE_HEADERS, 400)
}

/** Returns the language in which the form was shown. */
function language({ query, body, acceptLanguage }: ServerCall): Language {
  return languageOf(parametersOf(query, body).lang, acceptLanguage)
}
