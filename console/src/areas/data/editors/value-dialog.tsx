import { Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { useMissingText } from './use-missing-text.ts'
import { ValueEditor } from './value-editor.tsx'

interface ValueDialogProps {
  readonly name: string
  readonly field: Field
  readonly value: unknown
  /** @param value undefined: removes the field from the object */
  onSave(value: unknown): void
  onClose(): void
}

/** Asks for a value that does not fit into a cell; also for null or a missing value. */
export function ValueDialog({ name, field, value, onSave, onClose }: ValueDialogProps) {
  const { t } = useTranslation('data')
  const missingText = useMissingText()
  const [entered, setEntered] = useState(value ?? undefined)
  const [isTried, setIsTried] = useState(false)
  const missing = missingText(entered)
  const save = (chosen: unknown) => {
    onSave(chosen)
    onClose()
  }
  const isAcl = field.type === 'ACL'
  return (
    <Dialog
      open
      title={t('editor.title', { name, type: field.type })}
      width={640}
      onCancel={onClose}
      footer={
        <Flex wrap gap={8} justify="space-between">
          <Flex gap={8}>
            {!isAcl && <Button onClick={() => save(null)}>{t('editor.setNull')}</Button>}
            {!isAcl && value !== undefined && <Button onClick={() => save(undefined)}>{t('editor.unset')}</Button>}
          </Flex>
          <Flex gap={8}>
            <Button onClick={onClose}>{t('editor.cancel')}</Button>
            <Button type="primary" onClick={() => (missing === null ? save(entered) : setIsTried(true))}>
              {t('editor.save')}
            </Button>
          </Flex>
        </Flex>
      }
    >
      <ValueEditor field={field} label={name} value={entered} onChange={setEntered} />
      {isTried && missing !== null && (
        <Typography.Text type="danger" role="alert" style={{ display: 'block', marginTop: 8 }}>
          {missing}
        </Typography.Text>
      )}
    </Dialog>
  )
}
