import { App, Button } from 'antd'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Problem } from '../api/request.ts'
import { listenToUndoKey } from './undo-key.ts'

/** Seconds for which something can be undone. */
const LASTS = 10

interface UndoOptions {
  /** Whether Ctrl Z undoes it too while it is offered; true unless told, false where Ctrl Z has a list of its own */
  readonly byKey?: boolean
}

type OfferUndo = (done: string, undo: () => Promise<unknown>) => () => void

/**
 * Tells that something was done, and lets it be undone for a while: by a button, and by Ctrl Z.
 * @returns a function of what was done, in words, and of what undoes it; it returns what ends the offer
 */
export function useUndo({ byKey = true }: UndoOptions = {}): OfferUndo {
  const { notification, message } = App.useApp()
  const { t } = useTranslation('parts')
  return useCallback(
    (done, undo) => {
      const key = `undo-${crypto.randomUUID()}`
      const close = () => notification.destroy(key)
      const takeBack = async () => {
        close()
        unlisten()
        try {
          await undo()
          void message.success(t('undo.undone'))
        } catch (error) {
          void message.error(error instanceof Problem ? error.message : String(error))
        }
      }
      const unlisten = byKey ? listenToUndoKey(() => void takeBack()) : () => {}
      notification.success({
        key,
        title: done,
        duration: LASTS,
        placement: 'bottomRight',
        onClose: unlisten,
        actions: (
          <Button type="primary" size="small" onClick={() => void takeBack()}>
            {t('undo.undo')}
          </Button>
        ),
      })
      return close
    },
    [notification, message, t, byKey],
  )
}
