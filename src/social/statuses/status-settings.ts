import { z } from 'zod'

/** Settings for the statuses of an app (docs/social.md, Statuses). */
export const statusSettings = z
  .strictObject({
    openInboxes: z
      .boolean()
      .default(false)
      .describe(
        'Users with a session can read, count and reset the inboxes of others, as on LeanCloud. Statuses whose ACL does not allow them to read remain hidden.',
      ),
  })
  .prefault({})

export type StatusSettings = z.infer<typeof statusSettings>
