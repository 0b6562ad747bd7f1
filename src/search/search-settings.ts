import { z } from 'zod'

const prefix = z
  .string()
  .max(1000)
  .regex(/^$|^[a-z][a-z0-9+.-]*:\/\/\S*[^\s/]$/i, 'must be an address without a slash at its end')
  .default('')

/** Settings for the search of an app: links in search results (protocol/search, Results). */
export const searchSettings = z
  .strictObject({
    appUrl: prefix.describe(
      'Prefix of `_app_url` in results, followed by `/classes/<Class>/<objectId>`. Empty: `_app_url` is null.',
    ),
    deepLink: prefix.describe(
      'Prefix of `_deeplink` in results, followed by the same path. Empty: `_deeplink` is null.',
    ),
  })
  .prefault({})

export type SearchSettings = z.infer<typeof searchSettings>
