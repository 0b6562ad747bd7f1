import { z } from 'zod'

/** Settings of an app's leaderboards (protocol/social, Leaderboards). */
export const leaderboardSettings = z
  .strictObject({
    usersWriteTheirOwn: z
      .boolean()
      .default(true)
      .describe(
        'Users write their own statistics. Else only the master key writes any, so that nobody can claim a score.',
      ),
  })
  .prefault({})

export type LeaderboardSettings = z.infer<typeof leaderboardSettings>
