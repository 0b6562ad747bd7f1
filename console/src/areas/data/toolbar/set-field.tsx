import { useMutation } from '@tanstack/react-query'
import { Alert, Button, Flex, Progress, Select, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ownMember } from '../../../api/own-member.ts'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { useMissingText } from '../editors/use-missing-text.ts'
import { ValueEditor } from '../editors/value-editor.tsx'
import { readObjects } from '../edits/restore.ts'
import { MAX_UNDONE, useManyEdits } from '../edits/use-many-edits.ts'
import { isEditable } from '../grid/use-grid-columns.tsx'
import type { DeleteRowsProps } from './delete-rows.tsx'

/** Sets a field of all selected rows to one value, or removes it. */
export function SetField({ description, ids, onClose, onDone }: DeleteRowsProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const { appId } = useApp()
  const { className } = description
  const change = useManyEdits(className)
  const fields = { ...description.fields, ACL: { type: 'ACL' } }
  const names = Object.entries(fields).filter(([name, field]) => isEditable(name, field))
  const [name, setName] = useState<string | null>(null)
  const [value, setValue] = useState<unknown>(undefined)
  const [isTried, setIsTried] = useState(false)
  const [share, setShare] = useState(0)
  const missing = useMissingText()(value)
  const setting = useMutation({
    mutationFn: async (chosen: unknown) => {
      const field = name!
      const objects = ids.length > MAX_UNDONE ? [] : await readObjects(appId, className, ids)
      const before = new Map(objects.map((object) => [object.objectId, { [field]: ownMember(object, field) }]))
      const changes = ids.map((objectId) => ({ objectId, fields: { [field]: chosen } }))
      await change(changes, before, setShare)
    },
    onSuccess: onDone,
  })
  return (
    <Dialog
      open
      title={t('rows.setTitle', { count: ids.length, number: format.number(ids.length) })}
      width={640}
      onCancel={onClose}
      footer={
        <Flex wrap gap={8} justify="flex-end">
          {name !== null && name !== 'ACL' && (
            <Button disabled={setting.isPending} onClick={() => setting.mutate(undefined)}>
              {t('editor.unset')}
            </Button>
          )}
          <Button
            type="primary"
            disabled={name === null}
            loading={setting.isPending}
            onClick={() => (missing === null ? setting.mutate(value) : setIsTried(true))}
          >
            {t('editor.save')}
          </Button>
        </Flex>
      }
    >
      <Flex vertical gap={12}>
        <Select
          aria-label={t('rows.field')}
          placeholder={t('rows.field')}
          showSearch
          value={name}
          onChange={(chosen) => {
            setName(chosen)
            setValue(undefined)
            setIsTried(false)
          }}
          options={names.map(([one, { type }]) => ({ value: one, label: `${one} · ${type}` }))}
        />
        {name !== null && (
          <ValueEditor
            key={name}
            field={fields[name as keyof typeof fields]!}
            label={name}
            value={value}
            onChange={setValue}
          />
        )}
        {isTried && missing !== null && (
          <Typography.Text type="danger" role="alert">
            {missing}
          </Typography.Text>
        )}
        {ids.length > MAX_UNDONE && (
          <Alert type="warning" showIcon title={t('rows.tooManyToUndo', { number: format.number(MAX_UNDONE) })} />
        )}
        {setting.isPending && <Progress percent={Math.round(share * 100)} />}
        <ProblemNotice error={setting.error} />
      </Flex>
    </Dialog>
  )
}
