import { z } from 'zod'

/** Settings of an app's leaderboards (protocol/social, Leaderboards). */
export const leaderboardSettings = z
  .strictObject({
    /** Users write their own statistics. Else only the master key writes any, so that nobody can claim a score. */
    usersWriteTheirOwn: z.boolean().default(true),
  })
  .prefault({})

export type LeaderboardSettings = z.infer<typeof leaderboardSettings>
