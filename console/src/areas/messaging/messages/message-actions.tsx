import { EllipsisOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App as AntApp, Button, Dropdown } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import type { Conversation } from '../conversations.ts'
import { EditMessage } from './edit-message.tsx'
import { deleteMessage, type Message, recallMessage } from './messages.ts'

interface MessageActionsProps {
  readonly conversation: Conversation
  readonly message: Message
}

/** Actions on a message: recalling and editing, which notify clients, or deleting it from the server. */
export function MessageActions({ conversation, message }: MessageActionsProps) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { message: toast, modal } = AntApp.useApp()
  const queries = useQueryClient()
  const [isEdited, setIsEdited] = useState(false)
  const { from, recalled, binary } = message
  const act = useMutation({
    mutationFn: (change: (...of: Parameters<typeof recallMessage>) => Promise<unknown>) =>
      change(app, conversation, message),
    onSuccess: () =>
      queries.invalidateQueries({ queryKey: ['apps', app.appId, 'conversations', 'messages', conversation.id] }),
    onError: (error) => void toast.error(error.message),
  })
  const confirmDeletion = () =>
    modal.confirm({
      title: t('actions.deleteTitle'),
      content: t('actions.deleteAbout'),
      okText: t('actions.delete'),
      okButtonProps: { danger: true },
      onOk: () => act.mutateAsync(deleteMessage).catch(() => {}),
    })
  const items = [
    ...(recalled
      ? []
      : [
          { key: 'recall', label: t('actions.recall'), onClick: () => act.mutate(recallMessage) },
          ...(binary ? [] : [{ key: 'edit', label: t('actions.edit'), onClick: () => setIsEdited(true) }]),
        ]),
    { key: 'delete', label: t('actions.delete'), danger: true, onClick: confirmDeletion },
  ]
  return (
    <>
      <Dropdown trigger={['click']} menu={{ items }} placement="bottomRight">
        <Button
          type="text"
          size="small"
          icon={<EllipsisOutlined />}
          loading={act.isPending}
          aria-label={t('actions.open', { from })}
        />
      </Dropdown>
      {isEdited && <EditMessage conversation={conversation} message={message} onClose={() => setIsEdited(false)} />}
    </>
  )
}
