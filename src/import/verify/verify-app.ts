import type { Files } from '../../files/files.ts'
import type { ImportApp } from '../write/import-app.ts'

/** Texts in which URLs of files were rewritten count as equal (`write/rewrite-urls.ts`). */
export interface Rewriting {
  /** Hosts that served files before the move. */
  readonly formerHosts: readonly string[]
  /** Returns the new URL of a key. */
  urlOf(key: string): string
}

/** The running app that a source is compared with. */
export interface VerifyApp extends ImportApp {
  readonly files: Pick<Files, 'database' | 'tables'>
}
