import { SendOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Input, Segmented, Select, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { Conversation } from '../conversations.ts'
import { sendMessage } from './messages.ts'

/** The default sender of messages from the console. */
const SENDER = 'system'

const FORMS = ['text', 'raw'] as const

/** Sends a message in a conversation: a text, or content in the app's own format. */
export function Composer({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const { token } = theme.useToken()
  const app = useApp()
  const queries = useQueryClient()
  const [form, setForm] = useState<(typeof FORMS)[number]>('text')
  const [from, setFrom] = useState(SENDER)
  const [receivers, setReceivers] = useState<string[]>([])
  const [text, setText] = useState('')
  const send = useMutation({
    mutationFn: () => {
      const content = form === 'text' ? JSON.stringify({ _lctype: -1, _lctext: text }) : text
      return sendMessage(app, conversation, { from, content, receivers })
    },
    onSuccess: async () => {
      setText('')
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'conversations', 'messages', conversation.id] })
    },
  })
  const isReady = text.trim() !== '' && from !== '' && !send.isPending
  return (
    <Flex vertical gap={8} style={{ padding: 16, borderTop: `1px solid ${token.colorBorderSecondary}` }}>
      <ProblemNotice error={send.error} />
      <Flex wrap gap={8}>
        <Segmented
          aria-label={t('composer.form')}
          value={form}
          onChange={setForm}
          options={FORMS.map((value) => ({ value, label: t(`composer.${value}`) }))}
        />
        <Input
          aria-label={t('composer.from')}
          prefix={t('composer.fromPrefix')}
          maxLength={64}
          style={{ width: 220 }}
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        {conversation.kind === 'system' && (
          <Select
            mode="tags"
            aria-label={t('composer.receivers')}
            placeholder={t('composer.receivers')}
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', '\n']}
            style={{ minWidth: 260, maxWidth: '100%' }}
            value={receivers}
            onChange={setReceivers}
          />
        )}
      </Flex>
      <Flex gap={8} align="end">
        <Input.TextArea
          aria-label={t('composer.message')}
          placeholder={form === 'text' ? t('composer.message') : '{"_lctype": 1, "_lctext": "…"}'}
          autoSize={{ minRows: 1, maxRows: 8 }}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPressEnter={(event) => {
            if (event.shiftKey || event.nativeEvent.isComposing || form === 'raw') return
            event.preventDefault()
            if (isReady) send.mutate()
          }}
        />
        <Button
          type="primary"
          icon={<SendOutlined />}
          disabled={!isReady}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {t('composer.send')}
        </Button>
      </Flex>
    </Flex>
  )
}
