import { App } from 'antd'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { forgetClasses } from './class-queries.ts'
import { useRemoval } from './use-removal.ts'

interface RemoveFieldProps {
  readonly className: string
  readonly field: string
  onClose(): void
}

/** Removes a field with its values after its name is typed. */
export function RemoveField({ className, field, onClose }: RemoveFieldProps) {
  const { t } = useTranslation('classes')
  const format = useFormat()
  const { message } = App.useApp()
  const { appId } = useApp()
  const { removal, removed, stop } = useRemoval(
    (after) =>
      request('DELETE', '/admin/apps/{appId}/classes/{className}/fields/{field}', {
        params: { appId, className, field },
        query: { after },
      }),
    () => forgetClasses(appId),
  )
  const confirm = async () => {
    if (!(await removal.mutateAsync())) return
    void message.success(t('schema.removed', { name: field }))
    onClose()
  }
  return (
    <ConfirmByName
      open
      title={t('schema.removeOf', { name: field })}
      name={field}
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => void confirm().catch(() => {})}
      onCancel={() => {
        stop()
        onClose()
      }}
    >
      {removal.isPending
        ? t('schema.removing', { count: removed, shown: format.number(removed) })
        : t('schema.removeWhat')}
    </ConfirmByName>
  )
}
