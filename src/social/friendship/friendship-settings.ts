import { z } from 'zod'

const audience = z
  .enum(['both', 'user', 'everyone'])
  .default('both')
  .describe('`both`: the two users; `user`: the one whose it is; `everyone`.')

/** Settings of an app for follows and friendships (docs/social.md). */
export const friendshipSettings = z
  .strictObject({
    followBack: z.boolean().default(false).describe('Whoever is followed follows back at once.'),
    friendshipAcl: z
      .strictObject({ read: audience, write: audience })
      .prefault({})
      .describe('The ACL of new follows and friendships, unless they bring their own.'),
  })
  .prefault({})

export type FriendshipSettings = z.infer<typeof friendshipSettings>
