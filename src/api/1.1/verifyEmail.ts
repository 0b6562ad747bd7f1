import { findLink, findUsedLink } from '../../accounts/account-links.ts'
import { hasVerified, verifyEmail as verify } from '../../accounts/email-verification.ts'
import { errors } from '../../errors.ts'
import { html, ok } from '../call.ts'
import { languageOf } from '../pages/language.ts'
import { linkInvalidPage } from '../pages/link-invalid-page.ts'
import { PAGE_HEADERS } from '../pages/page.ts'
import { emailVerifiedPage } from '../pages/verify-email-page.ts'
import { parametersOf } from '../parameters.ts'
import { openRoute, type Route, type ServerCall } from '../route.ts'

/**
 * GET /1.1/verifyEmail/:token — verifies an address by the link in a verification mail (protocol/accounts, Endpoints,
 * emailVerified). Returns a page to browsers and `{}` to other clients. A used link shows the page again, for users
 * that open it twice or whose mail program opened it first. HEAD, by which mail programs and scanners test links,
 * verifies nothing.
 */
export const verifyEmail: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/1.1/verifyEmail/:token',
    handler: async (call) => {
      const { server, params } = call
      const token = params.token!
      const link = await findLink(server.database, 'verification', token)
      const app = link && (await server.running.open(link.appId))
      if (call.isHead && link && app) return call.wantsPage ? html('', PAGE_HEADERS) : ok({})
      const verified = link && app ? await verify(app.accounts, link, token) : false
      if (call.wantsPage) return showOutcome(call, token)
      if (!verified) throw errors.badArgument('The link has expired or was used; request another one.')
      return ok({})
    },
  }),
]

async function showOutcome({ server, query, body, acceptLanguage }: ServerCall, token: string) {
  const language = languageOf(parametersOf(query, body).lang, acceptLanguage)
  const used = await findUsedLink(server.database, 'verification', token)
  const app = used && (await server.running.open(used.appId))
  if (!used || !app || !(await hasVerified(app.accounts, used))) {
    return html(linkInvalidPage(language, 'verification'), PAGE_HEADERS, 400)
  }
  return html(emailVerifiedPage(language, { appName: app.record.name, email: used.email }), PAGE_HEADERS)
}
