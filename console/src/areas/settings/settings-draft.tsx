import { createContext, useContext } from 'react'
import type { Json, JsonObject } from './draft.ts'
import type { Path } from './schema.ts'

/** The settings as they are stored, and as they will be. */
export interface SettingsDraft {
  readonly stored: JsonObject
  readonly drafted: Json
  readonly patch: JsonObject
  readonly canChange: boolean
  /** What the server refused, by path. */
  readonly refusals: ReadonlyMap<string, string>
  /** Paths of settings for which something was entered that is no value. */
  readonly unparsed: ReadonlySet<string>
  change(path: Path, value: Json): void
  /** Forgets the change to a setting. */
  keep(path: Path): void
  /** Forgets the change to a setting, and saves nothing while what was entered for it is no value. */
  keepUnparsed(path: Path): void
}

export const SettingsDraftContext = createContext<SettingsDraft | null>(null)

export function useSettingsDraft(): SettingsDraft {
  return useContext(SettingsDraftContext)!
}
