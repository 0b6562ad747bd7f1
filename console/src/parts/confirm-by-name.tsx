import { Form, Input, Typography } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './dialog.tsx'
import { ProblemNotice } from './problem-notice.tsx'

interface ConfirmByNameProps {
  readonly open: boolean
  readonly title: string
  /** What is to be typed. */
  readonly name: string
  /** What is lost. */
  readonly children: ReactNode
  readonly isPending: boolean
  readonly error: Error | null
  onConfirm(): void
  onCancel(): void
}

/** Asks for the name of what is deleted for ever, so that nobody deletes by mistake. */
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
