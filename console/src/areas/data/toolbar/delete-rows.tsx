import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { path } from '../../../api/request.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { useUndo } from '../../../parts/use-undo.tsx'
import { useApp } from '../../../shell/use-app.ts'
import { classCountsQuery, type DataObject, rowsKey } from '../data-queries.ts'
import { useEdits } from '../edits/edits.tsx'
import { canBeRestored, readObjects, restore } from '../edits/restore.ts'
import { keepObject } from '../edits/row-cache.ts'

export interface RowsDeedProps {
  readonly description: ClassDescription
  readonly ids: readonly string[]
  onClose(): void
  onDone(): void
}

/** Ids in one request: they stand in its path. */
const AT_ONCE = 50

/** Deletes the rows that are chosen, after it was asked whether; where they can be made again, that can be undone. */
export function DeleteRows({ description, ids, onClose, onDone }: RowsDeedProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const edits = useEdits()
  const offerUndo = useUndo()
  const { className } = description
  const isRestorable = canBeRestored(description)
  const changed = () => {
    void queries.invalidateQueries(classCountsQuery(appId))
    return queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
  }
  const deleting = useMutation({
    mutationFn: async () => {
      const deleted: DataObject[] = []
      for (let n = 0; n < ids.length; n += AT_ONCE) {
        const some = ids.slice(n, n + AT_ONCE)
        if (isRestorable) deleted.push(...(await readObjects(appId, className, some)))
        await call('DELETE', `${path`/1.1/classes/${className}`}/${some.map(encodeURIComponent).join(',')}`)
        for (const id of some) keepObject(queries, appId, className, id, null)
      }
      return deleted
    },
    onSuccess: (objects) => {
      onDone()
      if (isRestorable) letUndo(objects)
    },
    onSettled: changed,
  })
  const letUndo = (objects: readonly DataObject[]) => {
    const done = t('rows.deleted', { number: format.number(objects.length) })
    const undo = async () => {
      for (const object of objects) await restore(appId, className, object)
      await changed()
    }
    offerUndo(done, edits.note({ done, undo }))
  }
  return (
    <Dialog
      open
      title={t('rows.deleteTitle', { number: format.number(ids.length) })}
      okText={t('rows.delete')}
      okButtonProps={{ danger: true, loading: deleting.isPending }}
      onOk={() => deleting.mutate()}
      onCancel={onClose}
    >
      <p>{isRestorable ? t('rows.deleteAbout') : t('rows.deleteForEver')}</p>
      <ProblemNotice error={deleting.error} />
    </Dialog>
  )
}
