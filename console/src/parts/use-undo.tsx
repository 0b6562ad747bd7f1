import { App, Button } from 'antd'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { Problem } from '../api/request.ts'
import { listenToUndoKey } from './undo-key.ts'

/** Seconds for which undo is offered. */
const LASTS = 10

interface UndoOptions {
  /** Whether Ctrl Z also undoes it while it is offered; defaults to true, false where Ctrl Z has its own list */
  readonly byKey?: boolean
}

type OfferUndo = (done: string, undo: () => Promise<unknown>) => () => void

/**
 * Reports a change, and offers undo for a while: by a button, and by Ctrl Z.
 * @returns a function of the description and the undo function; it returns a function that ends the offer
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
