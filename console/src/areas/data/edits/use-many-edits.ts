import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { useUndo } from '../../../parts/use-undo.tsx'
import { rowsKey } from '../data-queries.ts'
import { useEdits } from './edits.tsx'
import { type Change, type Outcome, writeMany } from './write-many.ts'

/** Of the contract: the condition of an update was not met. */
const NO_EFFECT = 305

/** Objects whose values before are kept, so that the change can be taken back. */
export const MOST_UNDONE = 1000

/** The values of an object before, of the fields that are changed. */
type Before = ReadonlyMap<string, Change['fields']>

/**
 * @returns changes many objects; what was written can be taken back together, unless somebody else has changed it since.
 *   It throws an Error in words when something was refused.
 */
export function useManyEdits(className: string) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const edits = useEdits()
  const offerUndo = useUndo({ byKey: false })

  const write = async (changes: readonly Change[], told?: (share: number) => void): Promise<Outcome> => {
    try {
      return await writeMany(call, className, changes, told)
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

  return async (changes: readonly Change[], before: Before, told?: (share: number) => void) => {
    const outcome = await write(changes, told)
    const back = [...outcome.written].flatMap(([objectId, readAt]) => {
      const fields = before.get(objectId)
      return fields ? [{ objectId, readAt, fields }] : []
    })
    if (back.length > 0) {
      const done = t('edits.manyChanged', { number: format.number(back.length) })
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
