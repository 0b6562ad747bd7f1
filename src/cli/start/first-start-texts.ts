import type { EntryLink } from '../../administrators/links.ts'
import type { AppRecord } from '../../apps/apps.ts'

/** Returns what the first start prints about the app that it has created. `homeport keys` shows the keys again. */
export function firstAppText(app: AppRecord, url: string): string {
  return `
First start: an app was created.

  App ID      ${app.id}
  App key     ${app.appKey}
  Master key  ${app.masterKey}   (bypasses all permissions: never put it into a client)

Show the keys again with: homeport keys

Try it:

  curl -X POST -H 'X-LC-Id: ${app.id}' -H 'X-LC-Key: ${app.appKey}' \\
    -H 'Content-Type: application/json' -d '{"title":"Hello"}' ${url}/1.1/classes/Post

`
}

/**
 * Returns what the start prints about the login link of the first administrator. Only the operator can read this output.
 * @param url base URL of the console
 */
export function firstLinkText({ token }: EntryLink, url: string): string {
  return `
Open the console with this link, and choose a password for the administrator "owner". It works once, within 72 hours:

  ${url.replace(/\/+$/, '')}/console/enter#${token}

Get another link with: homeport console-link

`
}
