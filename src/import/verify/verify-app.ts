import type { Files } from '../../files/files.ts'
import type { ImportApp } from '../write/import-app.ts'

/** What a source is compared with: a running app. */
export interface VerifyApp extends ImportApp {
  readonly files: Pick<Files, 'database' | 'tables'>
}
