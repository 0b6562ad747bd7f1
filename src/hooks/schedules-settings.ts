import { z } from 'zod'
import { isFunctionName } from './function-name.ts'
import { CRON_RULE, isCron, isTimeZone, nextByCron } from './schedules-cron.ts'

const MINUTE = 60_000
const MINUTES_IN_A_YEAR = 366 * 24 * 60
const MAX_SCHEDULES = 200

/** A function that runs on a schedule (protocol/cloud-code, Scheduled and queued functions). */
const schedule = z
  .strictObject({
    function: z.string().refine(isFunctionName, 'must be the name of a function'),
    cron: z.string().refine(isCron, CRON_RULE).optional().describe('Set either this or an interval.'),
    everyMinutes: z.int().min(1).max(MINUTES_IN_A_YEAR).optional(),
    parameters: z.record(z.string(), z.json()).default({}).describe('A JSON object.'),
    environment: z.enum(['production', 'staging']).default('production'),
    timeZone: z
      .string()
      .refine(isTimeZone, "must be a time zone such as 'Asia/Shanghai'")
      .default('UTC')
      .describe('Time zone of the cron expression, such as Asia/Shanghai.'),
    enabled: z.boolean().default(true),
  })
  .refine(
    ({ cron, everyMinutes }) => (cron === undefined) !== (everyMinutes === undefined),
    "must have either 'cron' or 'everyMinutes', not both",
  )

export type Schedule = z.infer<typeof schedule>

const name = z.string().regex(/^[^\p{Cc}]{1,100}$/u, 'must have 1 to 100 characters')

/** Schedules by name. */
export const schedulesSettings = z
  .record(name, schedule)
  .refine((schedules) => Object.keys(schedules).length <= MAX_SCHEDULES, `must have at most ${MAX_SCHEDULES} entries`)

/** Parses a stored schedule. @throws when it is invalid */
export function parseSchedule(stored: unknown): Schedule {
  return schedule.parse(stored)
}

/**
 * Returns the next run of a schedule, later than now; null for none.
 * @param last the previous due time, from which intervals are counted
 */
export function nextRun({ enabled, cron, everyMinutes, timeZone }: Schedule, last: Date, now: Date): Date | null {
  if (!enabled) return null
  if (cron !== undefined) return nextByCron(cron, timeZone, last > now ? last : now)
  const interval = everyMinutes! * MINUTE
  const passed = Math.max(0, Math.floor((now.getTime() - last.getTime()) / interval))
  return new Date(last.getTime() + (passed + 1) * interval)
}
