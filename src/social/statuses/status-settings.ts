import { z } from 'zod'

/** Settings for the statuses of an app (docs/social.md, Statuses). */
export const statusSettings = z
  .strictObject({
    openInboxes: z
      .boolean()
      .default(false)
      .describe(
        'Logged-in users can read, count and reset the inboxes of other users, as on LeanCloud. Statuses that their ACL hides from the user are omitted.',
      ),
  })
  .prefault({})

export type StatusSettings = z.infer<typeof statusSettings>
