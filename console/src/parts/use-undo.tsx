import { App, Button } from 'antd'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Problem } from '../api/request.ts'

/** Seconds for which something can be undone. */
const LASTS = 10

/**
 * Tells that something was done, and lets it be undone for a while.
 * @returns a function of what was done, in words, and of what undoes it
 */
export function useUndo(): (done: string, undo: () => Promise<unknown>) => void {
  const { notification, message } = App.useApp()
  const { t } = useTranslation('parts')
  return useCallback(
    (done, undo) => {
      const key = `undo-${Date.now()}`
      const takeBack = async () => {
        notification.destroy(key)
        try {
          await undo()
          void message.success(t('undo.undone'))
        } catch (error) {
          void message.error(error instanceof Problem ? error.message : String(error))
        }
      }
      notification.success({
        key,
        title: done,
        duration: LASTS,
        placement: 'bottomRight',
        actions: (
          <Button type="primary" size="small" onClick={() => void takeBack()}>
            {t('undo.undo')}
          </Button>
        ),
      })
    },
    [notification, message, t],
  )
}
