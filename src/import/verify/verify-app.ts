import type { Files } from '../../files/files.ts'
import type { ImportApp } from '../write/import-app.ts'

/** Texts in which URLs of files were rewritten are the same as before (`write/rewrite-urls.ts`). */
export interface Rewriting {
  /** Where files were once. */
  readonly places: readonly string[]
  /** Where a key is found from now on. */
  urlOf(key: string): string
}

/** What a source is compared with: a running app. */
export interface VerifyApp extends ImportApp {
  readonly files: Pick<Files, 'database' | 'tables'>
}
