import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Alert, Button, Flex, Form, Input, Spin, Typography } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Administrator, enterByLink, meQuery } from '../../api/me.ts'
import { queryClient } from '../../api/query-client.ts'
import { request } from '../../api/request.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { EntryCard } from './entry-card.tsx'

const MIN_CHARACTERS = 10

/**
 * Logs in by a link, and asks for a password, because the link works once. A logged in browser asks for confirmation first: a
 * link in client data could log the administrator in under another name, whose owner would see later input.
 */
export function EnterPage() {
  const { t } = useTranslation('entry')
  const [token] = useState(takeToken)
  const entering = useMutation({ mutationFn: enterByLink })
  const { mutate } = entering
  const [current, setCurrent] = useState<Administrator | null>(null)
  const isBegun = useRef(false)
  useEffect(() => {
    // Effects run twice in development, but the link works only once.
    if (token === '' || isBegun.current) return
    isBegun.current = true
    queryClient.fetchQuery(meQuery).then(
      ({ administrator }) => setCurrent(administrator),
      () => mutate(token),
    )
  }, [token, mutate])
  if (token === '')
    return (
      <EntryCard title={t('enterTitle')}>
        <Ended text={t('linkMissing')} />
      </EntryCard>
    )
  if (entering.error)
    return (
      <EntryCard title={t('enterTitle')}>
        <Ended text={t('linkUsed')} details={entering.error.message} />
      </EntryCard>
    )
  if (current !== null && entering.isIdle)
    return (
      <EntryCard title={t('enterTitle')}>
        <Flex vertical gap={16}>
          <Alert type="info" showIcon title={t('loggedIn', { name: current.name })} description={t('loggedInAbout')} />
          <Button type="primary" block onClick={() => mutate(token)}>
            {t('useLink')}
          </Button>
          <Link to="/">{t('stay', { name: current.name })}</Link>
        </Flex>
      </EntryCard>
    )
  if (!entering.isSuccess)
    return (
      <EntryCard title={t('enterTitle')}>
        <Flex justify="center">
          <Spin description={t('entering')}>
            <div style={{ minHeight: 60, minWidth: 120 }} />
          </Spin>
        </Flex>
      </EntryCard>
    )
  return (
    <EntryCard title={t('choosePassword')}>
      <PasswordForm />
    </EntryCard>
  )
}

/** Returns the token after the #, and removes it from the URL to keep it out of the browser history. */
function takeToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') history.replaceState(history.state, '', location.pathname)
  return token
}

function Ended({ text, details }: { readonly text: string; readonly details?: string }) {
  const { t } = useTranslation('entry')
  return (
    <Flex vertical gap={16}>
      <Alert type="warning" showIcon title={text} description={details} />
      <Link to="/login">{t('toLogin')}</Link>
    </Flex>
  )
}

function PasswordForm() {
  const { t } = useTranslation('entry')
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  const keeping = useMutation({
    mutationFn: ({ password }: { password: string }) => request('PUT', '/admin/me/password', { body: { password } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(meQuery)
      await navigate({ to: '/' })
    },
  })
  return (
    <Form<{ password: string }> layout="vertical" requiredMark={false} onFinish={(fields) => keeping.mutate(fields)}>
      <Typography.Paragraph>{t('enteredAs', { name: me?.administrator.name })}</Typography.Paragraph>
      <Typography.Paragraph type="secondary">
        {t('choosePasswordWhy', { name: me?.administrator.name })}
      </Typography.Paragraph>
      <Form.Item
        name="password"
        label={t('newPassword')}
        extra={t('passwordRule')}
        rules={[{ required: true, min: MIN_CHARACTERS, message: t('passwordRule') }]}
      >
        <Input.Password autoFocus autoComplete="new-password" />
      </Form.Item>
      <ProblemNotice error={keeping.error} />
      <Button type="primary" htmlType="submit" block loading={keeping.isPending}>
        {t('keepPassword')}
      </Button>
    </Form>
  )
}
