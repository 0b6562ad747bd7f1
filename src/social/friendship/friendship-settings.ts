import { z } from 'zod'

const audience = z
  .enum(['both', 'user', 'everyone'])
  .default('both')
  .describe('`both`: the two users; `user`: the owner of the object; `everyone`.')

/** Settings of an app for follows and friendships (docs/social.md). */
export const friendshipSettings = z
  .strictObject({
    followBack: z.boolean().default(false).describe('A followed user follows back automatically.'),
    friendshipAcl: z
      .strictObject({ read: audience, write: audience })
      .prefault({})
      .describe('The ACL of new follows and friendships that are created without one.'),
  })
  .prefault({})

export type FriendshipSettings = z.infer<typeof friendshipSettings>
