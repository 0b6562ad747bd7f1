import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Form, Input, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { login } from '../../api/me.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { EntryCard } from './entry-card.tsx'
import { ownPage } from './own-page.ts'

interface Fields {
  readonly name: string
  readonly password: string
  readonly code?: string
}

/** The login page, which continues to the requested page. */
export function LoginPage() {
  const { t } = useTranslation('entry')
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/login' })
  const [needsCode, setNeedsCode] = useState(false)
  const entering = useMutation({
    mutationFn: ({ name, password, code }: Fields) => login(name, password, code),
    onSuccess: (answer) => {
      if (answer.needsCode) setNeedsCode(true)
      else void navigate({ href: ownPage(next) })
    },
  })
  const needed = [{ required: true, message: t('needed') }]
  return (
    <EntryCard title={t('loginTitle')}>
      <Form<Fields> layout="vertical" requiredMark={false} onFinish={(fields) => entering.mutate(fields)}>
        <Form.Item name="name" label={t('name')} extra={t('firstName')} rules={needed}>
          <Input autoFocus autoComplete="username" />
        </Form.Item>
        <Form.Item name="password" label={t('password')} rules={needed}>
          <Input.Password autoComplete="current-password" />
        </Form.Item>
        {needsCode && (
          <Form.Item name="code" label={t('code')} extra={t('codeHint')} rules={needed}>
            <Input autoFocus inputMode="numeric" autoComplete="one-time-code" maxLength={6} />
          </Form.Item>
        )}
        <ProblemNotice error={entering.error} />
        <Button type="primary" htmlType="submit" block loading={entering.isPending}>
          {t('logIn')}
        </Button>
      </Form>
      <Typography.Paragraph type="secondary" style={{ margin: '20px 0 0', fontSize: 13 }}>
        {t('forgotten')} <Typography.Text code>{'homeport console-link'}</Typography.Text>
      </Typography.Paragraph>
    </EntryCard>
  )
}
