import { z } from 'zod'
import { canonicalDate, DATE_FORM, isDatabaseTime } from '../values/date.ts'

/** Schema of a date in a request of the management API, in canonical form (protocol/storage, Date texts). */
export const dateText = z
  .string()
  .refine((text) => {
    const iso = canonicalDate(text)
    return iso !== null && isDatabaseTime(iso)
  }, `must be a date of the form ${DATE_FORM}, in the years 0001 to 9999`)
  .overwrite((text) => canonicalDate(text) ?? text)
  .meta({ format: 'date-time' })
