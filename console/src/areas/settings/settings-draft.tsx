import { createContext, useContext } from 'react'
import type { Json, JsonObject } from './draft.ts'
import type { Path } from './schema.ts'

/** The stored settings, and their changes. */
export interface SettingsDraft {
  readonly stored: JsonObject
  readonly drafted: Json
  readonly patch: JsonObject
  readonly canChange: boolean
  /** Server errors, by path. */
  readonly refusals: ReadonlyMap<string, string>
  /** Paths of settings with invalid input. */
  readonly unparsed: ReadonlySet<string>
  change(path: Path, value: Json): void
  /** Removes the change of a setting. */
  keep(path: Path): void
  /** Removes the change of a setting, and disables saving while its input is invalid. */
  keepUnparsed(path: Path): void
}

export const SettingsDraftContext = createContext<SettingsDraft | null>(null)

export function useSettingsDraft(): SettingsDraft {
  return useContext(SettingsDraftContext)!
}
