import { z } from 'zod'

/** Settings for the leaderboards of an app (protocol/social, Leaderboards). */
export const leaderboardSettings = z
  .strictObject({
    usersWriteTheirOwn: z
      .boolean()
      .default(true)
      .describe('Users can write their own scores. Otherwise only the master key can, which prevents forged scores.'),
  })
  .prefault({})

export type LeaderboardSettings = z.infer<typeof leaderboardSettings>
