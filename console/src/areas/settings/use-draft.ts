import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { App } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isSame, type JsonObject, merged, refusals, valueAt, withChange, withoutChange } from './draft.ts'
import type { Path } from './schema.ts'
import type { SettingsDraft } from './settings-draft.tsx'
import { patchSettings, settingsQuery } from './settings-queries.ts'

const NONE: ReadonlyMap<string, string> = new Map()

/** Manages the changes of settings and saves them. */
export function useDraft(appId: string, canChange: boolean) {
  const { t } = useTranslation('settings')
  const { message } = App.useApp()
  const queries = useQueryClient()
  const stored = useSuspenseQuery(settingsQuery(appId)).data
  const [patch, setPatch] = useState<JsonObject>({})
  const [unparsed, setUnparsed] = useState<ReadonlySet<string>>(new Set())
  /** Increased when all changes are discarded, so that controls clear their typed text. */
  const [version, setVersion] = useState(0)
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
  const markUnparsed = (path: Path, isUnparsed: boolean) =>
    setUnparsed((known) => {
      const name = path.join('.')
      if (known.has(name) === isUnparsed) return known
      return new Set(isUnparsed ? [...known, name] : [...known].filter((one) => one !== name))
    })
  const draft: SettingsDraft = {
    stored,
    drafted: merged(stored, patch),
    patch,
    canChange,
    refusals: saving.error ? refusals(saving.error.message) : NONE,
    unparsed,
    change: (path, value) => {
      markUnparsed(path, false)
      revise((known) =>
        isSame(valueAt(stored, path), value) ? withoutChange(known, path) : withChange(known, path, value),
      )
    },
    keep: (path) => {
      markUnparsed(path, false)
      revise((known) => withoutChange(known, path))
    },
    keepUnparsed: (path) => {
      markUnparsed(path, true)
      revise((known) => withoutChange(known, path))
    },
  }
  const discard = () => {
    setUnparsed(new Set())
    setVersion((now) => now + 1)
    revise(() => ({}))
  }
  return { draft, version, saving, save: () => unparsed.size === 0 && saving.mutate(), discard }
}
