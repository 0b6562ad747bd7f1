import { z } from 'zod'

const audience = z.enum(['both', 'user', 'everyone'])

/** Settings of an app for who follows whom, and who is whose friend (docs/social.md). */
export const friendshipSettings = z
  .strictObject({
    followBack: z.boolean().default(false).describe('Whoever is followed follows back at once.'),
    friendshipAcl: z
      .strictObject({ read: audience.default('both'), write: audience.default('both') })
      .prefault({})
      .describe(
        'Who may read and change a new follow or friendship: the two users, only the one whose it is, or everyone. It is the ACL of the rows, which may bring their own.',
      ),
  })
  .prefault({})

export type FriendshipSettings = z.infer<typeof friendshipSettings>
