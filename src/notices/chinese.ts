import type { Translation } from './catalog.ts'
import { ALERTS } from './chinese/alerts.ts'
import { COMPARING } from './chinese/comparing.ts'
import { DOCTOR } from './chinese/doctor.ts'
import { GENERAL } from './chinese/general.ts'
import { PULLING } from './chinese/pulling.ts'
import { READING } from './chinese/reading.ts'
import { RECORDS } from './chinese/records.ts'
import type { ENGLISH } from './english.ts'
import type { Language } from './fill-in.ts'

/** All notices in Chinese, by code. */
export const CHINESE: Translation<typeof ENGLISH> = {
  ...ALERTS,
  ...GENERAL,
  ...READING,
  ...RECORDS,
  ...PULLING,
  ...COMPARING,
  ...DOCTOR,
}

export const IN_CHINESE: Language = { catalog: CHINESE, separator: '、' }
