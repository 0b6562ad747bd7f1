import { z } from 'zod'

/** Settings of an app for statuses (docs/social.md, Statuses). */
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
