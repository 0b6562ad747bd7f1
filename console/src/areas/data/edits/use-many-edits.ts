import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { useUndo } from '../../../parts/use-undo.tsx'
import { rowsKey } from '../data-queries.ts'
import { useEdits } from './edits.tsx'
import { type Change, type Outcome, writeMany } from './write-many.ts'

/** Error code: the condition of an update did not hold. */
const NO_EFFECT = 305

/** Maximum number of objects whose previous values are kept for undo. */
export const MAX_UNDONE = 1000

/** The previous values of the changed fields of an object. */
type Before = ReadonlyMap<string, Change['fields']>

/**
 * @returns a function that changes many objects; its writes can be undone together, except those changed by others since. It
 * throws an Error with a message when a write was rejected.
 */
export function useManyEdits(className: string) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const edits = useEdits()
  const offerUndo = useUndo({ byKey: false })

  const write = async (changes: readonly Change[], onProgress?: (share: number) => void): Promise<Outcome> => {
    try {
      return await writeMany(call, className, changes, onProgress)
    } finally {
      await queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
    }
  }
  const complain = ({ refused, written }: Outcome) => {
    const [first] = refused
    if (first === undefined) return
    const number = format.number(refused.length)
    const total = format.number(refused.length + written.size)
    const fault = first.code === NO_EFFECT ? t('edits.conflict') : first.error
    throw new Error(t('edits.someRefused', { number, total, id: first.objectId, fault }))
  }

  return async (changes: readonly Change[], before: Before, onProgress?: (share: number) => void) => {
    const outcome = await write(changes, onProgress)
    const back = [...outcome.written].flatMap(([objectId, readAt]) => {
      const fields = before.get(objectId)
      return fields ? [{ objectId, readAt, fields }] : []
    })
    if (back.length > 0) {
      const done = t('edits.manyChanged', { count: back.length, number: format.number(back.length) })
      let close = () => {}
      const undo = async () => {
        close()
        complain(await write(back))
      }
      close = offerUndo(done, edits.note({ done, undo }))
    }
    complain(outcome)
  }
}
