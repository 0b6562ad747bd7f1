import { createContext, useContext } from 'react'

export type Choice = 'light' | 'dark' | 'system'

interface AppearanceState {
  readonly choice: Choice
  readonly isDark: boolean
  choose(choice: Choice): void
}

export const AppearanceContext = createContext<AppearanceState | null>(null)

/** Returns whether the console is light or dark, and the setting. */
export function useAppearance(): AppearanceState {
  return useContext(AppearanceContext)!
}
