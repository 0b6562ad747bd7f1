import { z } from 'zod'

/** Settings for the leaderboards of an app (protocol/social, Leaderboards). */
export const leaderboardSettings = z
  .strictObject({
    usersWriteTheirOwn: z
      .boolean()
      .default(true)
      .describe('Otherwise only the master key writes scores, so that nobody can claim one.'),
  })
  .prefault({})

export type LeaderboardSettings = z.infer<typeof leaderboardSettings>
