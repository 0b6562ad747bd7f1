import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { path, segment } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { useUndo } from '../../../parts/use-undo.tsx'
import { classCountsQuery, rowsKey } from '../data-queries.ts'
import { useEdits } from '../edits/edits.tsx'
import { canBeRestored, type Restorable, readRestorable, restore } from '../edits/restore.ts'
import { keepObject } from '../edits/row-cache.ts'
import { MAX_UNDONE } from '../edits/use-many-edits.ts'

export interface DeleteRowsProps {
  readonly description: ClassDescription
  readonly ids: readonly string[]
  onClose(): void
  onDone(): void
}

/** Ids per request: they are part of its path. */
const AT_ONCE = 50

/** Deletes the selected rows after a confirmation; undo is offered when they can be restored. */
export function DeleteRows({ description, ids, onClose, onDone }: DeleteRowsProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const edits = useEdits()
  const offerUndo = useUndo({ byKey: false })
  const { className } = description
  const restorable = useQuery({
    queryKey: [...rowsKey(appId, className), 'restorable', ids],
    // Compared with the deleted objects below, so a cached result of another dialog must not be used.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: canBeRestored(description) && ids.length <= MAX_UNDONE,
    queryFn: () => readRestorable(appId, description, ids),
  })
  const canUndo = restorable.data !== undefined && restorable.data !== null
  const changed = () => {
    void queries.invalidateQueries(classCountsQuery(appId))
    return queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
  }
  const deleting = useMutation({
    mutationFn: async () => {
      const deleted: Restorable[] = []
      try {
        for (let n = 0; n < ids.length; n += AT_ONCE) {
          const some = ids.slice(n, n + AT_ONCE)
          // Read again: another administrator can have changed them since the dialog opened.
          const now = canUndo ? await readRestorable(appId, description, some) : []
          if (now === null) throw new Error(t('rows.tooManyMembers'))
          await call('DELETE', `${path`/1.1/classes/${className}`}/${some.map(segment).join(',')}`)
          deleted.push(...now)
          for (const id of some) keepObject(queries, appId, className, id, null)
        }
      } finally {
        // Includes objects deleted before a request failed.
        if (deleted.length > 0) letUndo(deleted)
      }
    },
    onSuccess: onDone,
    onSettled: changed,
  })
  const letUndo = (deleted: readonly Restorable[]) => {
    const done = t('rows.deleted', { count: deleted.length, number: format.number(deleted.length) })
    let close = () => {}
    const undo = async () => {
      close()
      try {
        await restore(appId, description, deleted)
      } finally {
        await changed()
      }
    }
    close = offerUndo(done, edits.note({ done, undo }))
  }
  return (
    <Dialog
      open
      title={t('rows.deleteTitle', { count: ids.length, number: format.number(ids.length) })}
      okText={t('rows.delete')}
      okButtonProps={{ danger: true, loading: deleting.isPending || restorable.isLoading }}
      onOk={() => deleting.mutate()}
      onCancel={onClose}
    >
      <p>
        {restorable.isLoading ? t('rows.deleteReading') : canUndo ? t('rows.deleteAbout') : t('rows.deleteForEver')}
      </p>
      <ProblemNotice error={deleting.error} />
    </Dialog>
  )
}
