import { CHINESE } from './chinese.ts'
import type { Language } from './fill-in.ts'

export const IN_CHINESE: Language = { catalog: CHINESE, separator: '、' }
