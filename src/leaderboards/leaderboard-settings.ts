import { z } from 'zod'

/** Settings for the leaderboards of an app (protocol/social, Leaderboards). */
export const leaderboardSettings = z
  .strictObject({
    usersWriteTheirOwn: z
      .boolean()
      .default(true)
      .describe('Otherwise scores can only be written with the master key, so that clients cannot forge them.'),
  })
  .prefault({})

export type LeaderboardSettings = z.infer<typeof leaderboardSettings>
