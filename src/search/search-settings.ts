import { z } from 'zod'

const prefix = z
  .string()
  .max(1000)
  .regex(/^$|^[a-z][a-z0-9+.-]*:\/\/\S*[^\s/]$/i, 'must be a URL without a slash at its end')
  .default('')

/** Settings for the search of an app: links in search results (protocol/search, Results). */
export const searchSettings = z
  .strictObject({
    appUrl: prefix.describe(
      'What `_app_url` of a result begins with; `/classes/<Class>/<objectId>` follows. Empty: it is null.',
    ),
    deepLink: prefix.describe('What `_deeplink` of a result begins with; the same follows. Empty: it is null.'),
  })
  .prefault({})

export type SearchSettings = z.infer<typeof searchSettings>
