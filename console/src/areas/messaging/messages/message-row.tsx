import { Flex, Tag, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Boundary } from '../../../parts/boundary.tsx'
import type { Conversation } from '../conversations.ts'
import { MessageActions } from './message-actions.tsx'
import { MessageBody } from './message-body.tsx'
import type { Message } from './messages.ts'

interface MessageRowProps {
  readonly conversation: Conversation
  readonly message: Message
}

/** A message with its sender, time, content, and state. */
export function MessageRow({ conversation, message }: MessageRowProps) {
  const { t } = useTranslation('messaging')
  const { token } = theme.useToken()
  const { time } = useFormat()
  const { canChange } = useApp()
  const { from, timestamp, recalled, editedAt, mentionsAll, mentions, receivers, ip } = message
  const mentioned = mentionsAll ? t('messages.everyone') : mentions.join(', ')
  return (
    <article
      aria-label={t('messages.by', { from })}
      style={{ padding: '8px 0', borderBottom: `1px solid ${token.colorBorderSecondary}` }}
    >
      <Flex gap={8} align="center" justify="space-between">
        <Flex wrap gap={8} align="center" style={{ minWidth: 0 }}>
          <Typography.Text strong style={{ overflowWrap: 'anywhere' }}>
            {from}
          </Typography.Text>
          <Typography.Text type="secondary" title={ip ? t('messages.ip', { ip }) : undefined}>
            {time(timestamp)}
          </Typography.Text>
          {editedAt !== null && <Tag title={time(editedAt)}>{t('messages.edited')}</Tag>}
          {recalled && <Tag>{t('messages.recalled')}</Tag>}
          {receivers.length > 0 && <Tag>{t('messages.to', { who: receivers.join(', ') })}</Tag>}
          {mentioned !== '' && <Tag>{t('messages.mentions', { who: mentioned })}</Tag>}
        </Flex>
        {canChange && conversation.kind !== 'temporary' && (
          <MessageActions conversation={conversation} message={message} />
        )}
      </Flex>
      {recalled ? (
        <Typography.Text type="secondary" italic>
          {t('messages.recalledAbout')}
        </Typography.Text>
      ) : (
        <Boundary>
          <MessageBody content={message.content} binary={message.binary} />
        </Boundary>
      )}
    </article>
  )
}
