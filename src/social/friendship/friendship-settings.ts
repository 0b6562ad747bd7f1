import { z } from 'zod'

const audience = z
  .enum(['both', 'user', 'everyone'])
  .default('both')
  .describe('`both`: the two users; `user`: the user to whom the object belongs; `everyone`: all users.')

/** Settings of an app for follows and friendships (docs/social.md). */
export const friendshipSettings = z
  .strictObject({
    followBack: z.boolean().default(false).describe('A user who is followed automatically follows back.'),
    friendshipAcl: z
      .strictObject({ read: audience, write: audience })
      .prefault({})
      .describe('ACL of new follows and friendships that do not set their own ACL.'),
  })
  .prefault({})

export type FriendshipSettings = z.infer<typeof friendshipSettings>
