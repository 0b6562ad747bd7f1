import { Form, Input, Typography } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'
import { ProblemNotice } from './problem-notice.tsx'

interface ConfirmByNameProps {
  readonly open: boolean
  readonly title: string
  /** The text to type. */
  readonly name: string
  /** A description of the loss. */
  readonly children: ReactNode
  readonly isPending: boolean
  readonly error: Error | null
  onConfirm(): void
  onCancel(): void
}

/** Asks for the name of an item before its permanent deletion, to prevent mistakes. */
export function ConfirmByName({
  open,
  title,
  name,
  children,
  isPending,
  error,
  onConfirm,
  onCancel,
}: ConfirmByNameProps) {
  const { t } = useTranslation('parts')
  const [typed, setTyped] = useState('')
  const id = useId()
  const isRight = typed === name
  return (
    <Dialog
      open={open}
      title={title}
      okText={t('confirm.delete')}
      okButtonProps={{ danger: true, disabled: !isRight, loading: isPending }}
      onOk={onConfirm}
      onCancel={onCancel}
      afterClose={() => setTyped('')}
    >
      <Typography.Paragraph>{children}</Typography.Paragraph>
      <Form layout="vertical" onFinish={() => isRight && onConfirm()}>
        <Form.Item label={t('confirm.type', { name })} htmlFor={id}>
          <Input id={id} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
        </Form.Item>
      </Form>
      <ProblemNotice error={error} />
    </Dialog>
  )
}
