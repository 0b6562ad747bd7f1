import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { App } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isSame, type JsonObject, merged, refusals, valueAt, withChange, withoutChange } from './draft.ts'
import type { SettingsDraft } from './settings-draft.tsx'
import { patchSettings, settingsQuery } from './settings-queries.ts'

const NONE: ReadonlyMap<string, string> = new Map()

/** What of the settings was changed here, and how that is saved. */
export function useDraft(appId: string, canChange: boolean) {
  const { t } = useTranslation('settings')
  const { message } = App.useApp()
  const queries = useQueryClient()
  const stored = useSuspenseQuery(settingsQuery(appId)).data
  const [patch, setPatch] = useState<JsonObject>({})
  const saving = useMutation({
    mutationFn: () => patchSettings(appId, patch),
    onSuccess: (saved) => {
      queries.setQueryData(settingsQuery(appId).queryKey, saved)
      setPatch({})
      void message.success(t('saved'))
    },
  })
  const revise = (revised: (patch: JsonObject) => JsonObject) => {
    saving.reset()
    setPatch(revised)
  }
  const draft: SettingsDraft = {
    stored,
    drafted: merged(stored, patch),
    patch,
    canChange,
    refusals: saving.error ? refusals(saving.error.message) : NONE,
    change: (path, value) =>
      revise((known) =>
        isSame(valueAt(stored, path), value) ? withoutChange(known, path) : withChange(known, path, value),
      ),
    keep: (path) => revise((known) => withoutChange(known, path)),
  }
  return { draft, saving, save: () => saving.mutate(), discard: () => revise(() => ({})) }
}
