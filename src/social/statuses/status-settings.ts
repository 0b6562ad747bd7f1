import { z } from 'zod'

/** Settings for the statuses of an app (docs/social.md, Statuses). */
export const statusSettings = z
  .strictObject({
    openInboxes: z
      .boolean()
      .default(false)
      .describe(
        'Users with a session read, count and reset the inboxes of others, as on the hosted service. Statuses whose ACL does not let them read stay hidden.',
      ),
  })
  .prefault({})

export type StatusSettings = z.infer<typeof statusSettings>
