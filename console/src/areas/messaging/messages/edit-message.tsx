import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { Conversation } from '../conversations.ts'
import { editMessage, type Message } from './messages.ts'

interface EditMessageProps {
  readonly conversation: Conversation
  readonly message: Message
  onClose(): void
}

/** Edits the content of a message as sent; the JSON of a typed message. */
export function EditMessage({ conversation, message, onClose }: EditMessageProps) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const queries = useQueryClient()
  const [content, setContent] = useState(message.content)
  const edit = useMutation({
    mutationFn: () => editMessage(app, conversation, message, content),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'conversations', 'messages', conversation.id] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      title={t('edit.title')}
      okText={t('edit.save')}
      okButtonProps={{ loading: edit.isPending, disabled: content === '' || content === message.content }}
      onOk={() => edit.mutate()}
      onCancel={onClose}
    >
      <ProblemNotice error={edit.error} />
      <Input.TextArea
        aria-label={t('edit.content')}
        value={content}
        autoSize={{ minRows: 3, maxRows: 14 }}
        onChange={(event) => setContent(event.target.value)}
      />
    </Dialog>
  )
}
