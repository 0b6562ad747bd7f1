import { ALERTS } from './english/alerts.ts'
import { COMPARING } from './english/comparing.ts'
import { DOCTOR } from './english/doctor.ts'
import { GENERAL } from './english/general.ts'
import { PULLING } from './english/pulling.ts'
import { READING } from './english/reading.ts'
import { RECORDS } from './english/records.ts'

/** All notices in English, by code. */
export const ENGLISH = {
  ...ALERTS,
  ...GENERAL,
  ...READING,
  ...RECORDS,
  ...PULLING,
  ...COMPARING,
  ...DOCTOR,
} as const
